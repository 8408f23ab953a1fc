import json
import math

import numpy as np
import pytest

from benchmarks import failing


@pytest.mark.parametrize(
    ("name", "share"),
    [("too much at once, 40 %", 0.4), ("too much at once, 85 %, with numbers", 0.85), ("one in five by luck", 0.2)],
)
def test_as_many_random_points_fail_as_the_name_says(name, share):
    space, objective = failing.function(name, 3)
    failed = [math.isnan(objective(configuration)) for configuration in space.sample(600, np.random.default_rng(0))]
    assert np.mean(failed) == pytest.approx(share, abs=0.08)


@pytest.mark.parametrize("name", failing.PROBLEMS)
def test_a_seed_is_a_function(name):
    (space, one), (_, two), (_, other) = (failing.function(name, seed) for seed in (0, 0, 1))
    configurations = space.sample(30, np.random.default_rng(1))
    values = [[f(configuration) for configuration in configurations] for f in (one, two, other)]
    assert np.array_equal(values[0], values[1], equal_nan=True)
    assert not np.array_equal(values[0], values[2], equal_nan=True)


def test_the_command_writes_a_record_a_run_and_prints_a_line_a_problem(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(failing, "PROBLEMS", {"one in five by luck": failing.PROBLEMS["one in five by luck"]})
    monkeypatch.setattr(failing, "INITIAL", 4)
    monkeypatch.setattr(failing, "BUDGET", 6)
    monkeypatch.setattr(failing, "AT", (6,))
    out = tmp_path / "failing.jsonl"
    monkeypatch.setattr("sys.argv", ["failing", "--seeds", "1", "--jobs", "1", "--out", str(out)])
    failing.main()
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(r["problem"], r["seed"], r["failures"]) for r in records] == [
        ("one in five by luck", 0, "avoided"),
        ("one in five by luck", 0, "learnt"),
    ]
    assert "one in five by luck" in capsys.readouterr().out
