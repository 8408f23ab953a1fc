"""Reserving, telling and cancelling trials by hand, while others do the same."""

from __future__ import annotations

import pytest

from casmopolitan.errors import DataError, SpaceError
from casmopolitan.spreadsheet.table import Line, TableError
from casmopolitan.study.liveness import ASKING
from casmopolitan.study.sampler.records import NOTE
from casmopolitan.study.trials import manual
from casmopolitan.study.trials.manual import Recorded, cancel_reserved, record_results, reserve_trials
from casmopolitan.study.trials.open import open_spec


def lines(values):
    return [Line(k + 2, number, {}, value) for k, (number, value) in enumerate(values.items())]


def states(opened):
    return [row.state for row in open_spec(opened.spec).rows()]


def test_reserved_trials_are_distinct_and_cost_budget(opened):
    rows = reserve_trials(opened, 5)
    assert [row.number for row in rows] == list(range(5))
    assert len({tuple(row.configuration.values()) for row in rows}) == 5
    assert all(row.counts and row.state == "asked" for row in rows)
    with pytest.raises(DataError, match="ask for at least one"):
        reserve_trials(opened, 0)


def test_trials_reserved_before_an_interruption_are_given_back(opened, monkeypatch):
    calls = iter(range(2))

    def interrupted(*args, **kwargs):
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return False

    monkeypatch.setattr(manual, "repeats", interrupted)
    with pytest.raises(KeyboardInterrupt):
        reserve_trials(opened, 5)
    assert states(opened) == ["cancelled"] * 3


def test_a_trial_that_is_being_reserved_is_not_reserved_yet(opened):
    opened.study.ask().set_user_attr(NOTE, {"by": ASKING})
    assert states(opened) == ["running"]


def test_results_told_by_two_at_once_are_recorded_once(opened, monkeypatch):
    reserve_trials(opened, 3)
    told = lines({0: 1.0, 1: None, 2: 3.0})
    before = opened.trials()
    assert record_results(open_spec(opened.spec), "results.csv", told) == Recorded([0, 1, 2], 0, 0, [])
    plain = type(opened).trials

    def first_as_it_was(self):
        return looks.pop() if looks else plain(self)

    monkeypatch.setattr(type(opened), "trials", first_as_it_was)
    looks = [before]
    assert record_results(opened, "results.csv", told) == Recorded([], 0, 3, [])
    looks = [before]
    with pytest.raises(DataError, match="another process was faster"):
        record_results(opened, "results.csv", lines({0: 9.0}))


def test_a_line_that_cannot_be_recorded_stops_the_whole_file(opened):
    reserve_trials(opened, 2)
    with pytest.raises(TableError, match="there is no trial 7") as caught:
        record_results(opened, "results.csv", lines({0: 1.0, 7: 2.0}))
    assert len(caught.value.problems) == 1
    assert states(opened) == ["asked", "asked"]


def test_a_correction_and_new_results_come_in_one_file(opened):
    reserve_trials(opened, 3)
    record_results(opened, "results.csv", lines({0: 1.0}))
    both = lines({0: 5.0, 1: 2.0})
    with pytest.raises(TableError, match=r"trial 0 was already told 1.0; `--replace` corrects it"):
        record_results(open_spec(opened.spec), "results.csv", both)
    assert record_results(open_spec(opened.spec), "results.csv", both, replace=True) == Recorded([1], 0, 0, [0])
    assert [row.value for row in open_spec(opened.spec).rows()] == [5.0, 2.0, None]


def test_the_result_of_a_cancelled_trial_is_added_as_one_from_elsewhere(opened):
    reserve_trials(opened, 2)
    assert cancel_reserved(opened, [1]) == [1]
    assert record_results(opened, "results.csv", lines({1: 4.0})) == Recorded([], 1, 0, [], [1])
    assert [(row.state, row.known) for row in opened.rows()] == [("asked", False), ("cancelled", False), ("complete", True)]
    assert cancel_reserved(opened, None) == [0]
    with pytest.raises(DataError, match=r"trial 0 is not reserved \(cancelled\), trial 9 is not reserved \(does not exist\)"):
        cancel_reserved(opened, [0, 9])


def test_fixed_values_are_in_every_reserved_trial_until_none_is_left(opened):
    name, variable = next(iter(opened.space.variables.items()))
    value = variable.at(1)
    rows = reserve_trials(opened, 4, {name: value})
    assert {row.configuration[name] for row in rows} == {value}
    assert len({tuple(row.configuration.values()) for row in rows}) == len(rows) > 1
    with pytest.raises(SpaceError, match="'other' is not a variable"):
        reserve_trials(opened, 1, {"other": 1})


def test_what_was_run_is_recorded_and_the_reserved_trial_is_cancelled(opened):
    asked = reserve_trials(opened, 2)
    other = next(b for b in range(1, 31) if all(b != row.configuration["b"] for row in asked))
    told = [Line(2, 0, {"b": other}, 1.0), Line(3, 1, dict(asked[1].configuration), 2.0)]
    with pytest.raises(TableError, match=r"column 'b': says .* tell the file with `--as-run`"):
        record_results(opened, "results.csv", told)
    found = record_results(opened, "results.csv", told, as_run=True)
    assert (found.told, found.known) == ([1], 1)
    rows = open_spec(opened.spec).rows()
    assert [(row.state, row.value) for row in rows] == [("cancelled", None), ("complete", 2.0), ("complete", 1.0)]
    assert rows[2].configuration == {**asked[0].configuration, "b": other}
