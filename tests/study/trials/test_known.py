"""Results from elsewhere: recorded once, compared with the trials, never counted."""

from __future__ import annotations

from casmopolitan.study.file.load import load
from casmopolitan.study.trials.known import KnownResult, add_known, enqueue_initial
from casmopolitan.study.trials.open import open_spec


def test_known_results_are_recorded_once_and_cost_no_budget(opened):
    results = [
        KnownResult({"a": "x", "b": 3}, 1.0),
        KnownResult({"a": "x", "b": 3}, 1.0),
        KnownResult({"a": "y", "b": 3}, None),
    ]
    assert add_known(opened, results) == (2, [])
    assert add_known(opened, results) == (0, [])
    assert [(row.state, row.known, row.counts) for row in opened.rows()] == [
        ("complete", True, False),
        ("failed", True, False),
    ]


def test_replicates_of_a_noisy_objective_stand_in_the_queue_as_often(file):
    file.write_text(
        file.read_text().replace(
            "seed = 1", "seed = 1\nnoisy = true\ninitial = [{a = 'x', b = 2}, {a = 'y', b = 3}, {a = 'x', b = 2}]"
        )
    )
    one = open_spec(load(file), create=True)
    for _ in range(2):
        enqueue_initial(one)
    assert [row.configuration for row in one.rows()] == [{"a": "x", "b": 2}, {"a": "y", "b": 3}, {"a": "x", "b": 2}]
    one.study._storage._backend.engine.dispose()
