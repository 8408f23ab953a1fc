"""Eight processes on one study: every number once, no point twice, and little time lost."""

from collections import Counter

import pytest
from optuna.trial import TrialState

from casmopolitan.study import open_study

WORKERS = 8


def eight(workers, url, name, trials, sleep):
    """The trials of eight workers that start together, and the seconds from the first start to the last completion."""
    status, said = workers.run(url=url, name=name, trials=trials, sleep=sleep, heartbeat=60, copies=WORKERS)
    assert status == 0, said
    done = open_study(name, url, heartbeat=None).get_trials(deepcopy=False)
    first, last = min(t.datetime_start for t in done), max(t.datetime_complete for t in done)
    return done, (last - first).total_seconds()


def agree(done, trials):
    assert sorted(trial.number for trial in done) == list(range(WORKERS * trials))
    assert {trial.state for trial in done} == {TrialState.COMPLETE}
    points = Counter(tuple(sorted(trial.params.items())) for trial in done)
    assert max(points.values()) == 1


def said(capsys, url, trials, sleep, seconds):
    with capsys.disabled():
        kind = url.split(":")[0]
        print(f"\n{kind}: {WORKERS} workers x {trials} trials of {sleep} s: {seconds:.1f} s, ideal {trials * sleep:.1f} s")


def test_eight_workers_agree(workers, url, name, capsys):
    done, seconds = eight(workers, url, name, 2, 0.4)
    agree(done, 2)
    said(capsys, url, 2, 0.4, seconds)


@pytest.mark.slow_faults
def test_eight_workers_agree_over_many_trials(workers, url, name, capsys):
    done, seconds = eight(workers, url, name, 25, 1.0)
    agree(done, 25)
    said(capsys, url, 25, 1.0, seconds)
    assert seconds < 2 * 25
