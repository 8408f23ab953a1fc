"""Thousands of trials in one study: memory stays flat, and asking stays quick."""

import resource
import time
from dataclasses import replace

import optuna
import pytest

import casmopolitan as cas
from casmopolitan.study import CasmopolitanSampler, distributions_of

SPACE = cas.Space({f"c{i}": cas.Categorical(["a", "b", "c", "d"]) for i in range(20)} | {"x": cas.Real(0.0, 1.0)})


def long_study(config, trials, marks):
    """Milliseconds an ask takes at the marks, and the growth in MB of the process between the first mark and the end."""
    study = optuna.create_study(sampler=CasmopolitanSampler(SPACE, seed=0, config=config))
    space, took, peak = distributions_of(SPACE), {}, {}
    for number in range(trials):
        started = time.perf_counter()
        trial = study.ask(space)
        took[number] = 1000 * (time.perf_counter() - started)
        study.tell(trial, sum(v == "a" for v in trial.params.values()) + trial.params["x"])
        peak[number] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    asks = {mark: sorted(took[n] for n in range(mark - 20, mark))[10] for mark in marks}
    return study, asks, peak[trials - 1] - peak[marks[0]]


def said(capsys, asks, growth):
    with capsys.disabled():
        print(
            "\nan ask in ms at "
            + ", ".join(f"{mark} trials: {ms:.1f}" for mark, ms in asks.items())
            + f"; grew {growth:.0f} MB"
        )


@pytest.mark.parametrize("trials", [300, pytest.param(800, marks=pytest.mark.slow_faults)])
def test_the_layer_stays_small_as_a_study_grows(capsys, trials):
    study, asks, growth = long_study(replace(cas.DEFAULT, n_initial=10_000), trials, (100, trials // 2, trials))
    said(capsys, asks, growth)
    assert growth < 100
    (cache,) = study.sampler._caches[study._storage].values()
    assert len(cache._history._states._results) < 100


@pytest.mark.slow_faults
@pytest.mark.timeout(3600)
def test_two_thousand_trials(capsys):
    _, asks, growth = long_study(cas.DEFAULT, 2000, (100, 500, 1000, 2000))
    said(capsys, asks, growth)
    assert growth < 300
