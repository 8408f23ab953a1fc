import json

import numpy as np
import pytest

from benchmarks import crowding


@pytest.mark.parametrize("name", crowding.PROBLEMS)
def test_every_problem_has_a_function_of_its_space(name):
    space, function = crowding.problem(name)
    assert all(np.isfinite(function(configuration)) for configuration in space.sample(5, np.random.default_rng(0)))


def test_points_with_other_choices_are_infinitely_far_and_numbers_count_by_their_range():
    space, _ = crowding.readme()
    one, near, other = [
        {"solvent": "water", "temperature": 50.0},
        {"solvent": "water", "temperature": 50.5},
        {"solvent": "ethanol", "temperature": 50.0},
    ]
    assert crowding.distances(space, [one], [one, near, other])[0] == pytest.approx([0.0, 0.005, np.inf])


def test_the_command_appends_a_row_per_batch_size_and_one_for_workers(tmp_path, monkeypatch):
    monkeypatch.setattr(crowding, "ROUNDS", {2: 2})
    monkeypatch.setattr(crowding, "ASKS", 2)
    out = tmp_path / "crowding.jsonl"
    for more in (["--batches", "2"], ["--workers"]):
        monkeypatch.setattr("sys.argv", ["crowding", "--problems", "readme", "--seeds", "1", "--out", str(out), *more])
        crowding.main()
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["batch"] for row in rows] == [2, "workers"]
    assert all(row["near"] == 0.0 for row in rows)
