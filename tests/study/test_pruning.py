"""Trials that report while they run, and end early if they are bad."""

from __future__ import annotations

import pytest

from casmopolitan.execution.program import Program
from casmopolitan.study.file.load import SpecError, load
from casmopolitan.study.runner import Runner
from casmopolitan.study.trials.open import open_spec

FILE = """
name = "n"
budget = 12
seed = 1
[settings]
n_initial = 4
[variables.a]
type = "categorical"
choices = ["x", "y", "z"]
[variables.b]
type = "integer"
low = 1
high = 4
[objective]
command = ["python", "-S", "solve.py", "{a}", "{b}"]
"""

SOLVE = """
import sys, time
base = 10 * "xyz".index(sys.argv[1]) + int(sys.argv[2])
times = [base + (7 * instance) % 5 for instance in range(8)]
for instance, seconds in enumerate(times):
    print("instance", instance, ":", seconds, flush=True)
    with open("evaluated.txt", "a") as file:
        file.write(f"{base}\\n")
    time.sleep(0.15)
print(sum(times) / len(times))
"""


def run(tmp_path, pruning):
    """Evaluate the whole space; return the rows and how many instances of each configuration were solved."""
    tmp_path.mkdir()
    (tmp_path / "study.toml").write_text(FILE + pruning)
    (tmp_path / "solve.py").write_text(SOLVE if pruning else SOLVE.replace("0.15", "0"))  # time to be ended in
    spec = load(tmp_path / "study.toml")
    opened = open_spec(spec, create=True)
    reports = None if spec.pruning is None else spec.pruning.line
    runner = Runner(opened, Program(spec.objective, spec.folder, opened.goals, reports), parallel=4, budget=spec.budget)
    runner.start()
    runner.wait(120.0)
    assert runner.stopped == "budget"
    rows = open_spec(spec).rows()
    best = opened.best_first(rows)
    opened.study._storage._backend.engine.dispose()
    return rows, best, len((tmp_path / "evaluated.txt").read_text().splitlines())


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return run(tmp_path_factory.mktemp("whole") / "study", "")


@pytest.mark.parametrize("pruner", ['"wilcoxon"\np_threshold = 0.1', '"median"\nwarmup_trials = 3'])
def test_bad_configurations_end_early_and_the_best_is_the_same(tmp_path, pruner, whole):
    every, best, solved = whole
    rows, found, fewer = run(tmp_path / "pruned", f'[pruning]\nline = "instance"\npruner = {pruner}\n')
    assert len(rows) == len(every) == 12
    assert solved == 12 * 8
    pruned = [row for row in rows if row.state == "pruned"]
    assert pruned
    assert fewer < solved
    assert (found[0].configuration, found[0].value) == (best[0].configuration, best[0].value)
    assert best[0].configuration == {"a": "x", "b": 1}
    assert all(row.counts and row.value is None and row.error.startswith("ended early") for row in pruned)


def test_pruning_needs_one_objective_and_a_program(tmp_path):
    (tmp_path / "study.toml").write_text(FILE.partition("[objective]")[0] + '[pruning]\npruner = "best"\nwarmup = 3\n')
    with pytest.raises(SpecError) as caught:
        load(tmp_path / "study.toml")
    said = str(caught.value)
    assert "pruning.pruner: got 'best'; it must be 'wilcoxon' or 'median'" in said
    assert "pruning.warmup: unknown; remove it" in said
    assert "pruning: needs an [objective] that reports while it runs" in said
    two = '[objectives]\nerror = "minimize"\nsize = "minimize"\n[pruning]\npruner = "median"\n'
    (tmp_path / "study.toml").write_text(FILE + two)
    with pytest.raises(SpecError, match="pruning: Optuna ends trials early only if there is one objective"):
        load(tmp_path / "study.toml")
