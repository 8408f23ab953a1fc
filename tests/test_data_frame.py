"""Telling many trials at once, from lists and data frames."""

from __future__ import annotations

import math

import numpy as np
import pytest

import casmopolitan as cas

SPACE = cas.Space(
    {
        "solvent": cas.Categorical(["water", "ethanol"]),
        "amount": cas.Integer(1, 500, when={"solvent": "ethanol"}),
        "light": cas.Categorical([True, False]),
        "time": cas.Integer(1, 1000),
    }
)
ROWS = [
    {"solvent": "water", "light": True, "time": 60},
    {"solvent": "ethanol", "amount": 4, "light": False, "time": 30},
    {"solvent": "ethanol", "amount": 7, "light": True, "time": 60},
]


@pytest.fixture
def opt():
    return cas.Optimizer(SPACE, seed=0)


def test_many_trials_are_told_as_if_one_by_one(opt):
    asked = opt.ask(2)
    told = opt.tell_many([*asked, *ROWS], np.array([1.0, 2.0, 3.0, math.nan, 5.0]))
    assert [trial.status for trial in told] == ["complete", "complete", "complete", "failed", "complete"]
    one_by_one = cas.Optimizer(SPACE, seed=0)
    for trial, value in zip([*one_by_one.ask(2), *ROWS], [1.0, 2.0, 3.0, math.nan, 5.0], strict=True):
        one_by_one.tell(trial, value)
    assert opt.to_json() == one_by_one.to_json()
    assert opt.pending == []


def test_all_problems_are_listed_and_nothing_is_recorded(opt):
    trial = opt.ask()
    rows = [ROWS[0], {**ROWS[1], "amount": 999}, {**ROWS[2], "colour": "red", "solvent": "oil"}, ROWS[0], 77]
    with pytest.raises(cas.DataError) as caught:
        opt.tell_many(rows, [1.0, 2.0, "3", 4.0, None])
    lines = str(caught.value).split("\n  ")
    assert [line.partition(":")[0] for line in lines] == [
        "trials[1]",
        "values[2]",
        "trials[2]",
        "trials[2]",
        "trials[3]",
        "values[4]",
        "trials[4]",
    ]
    assert "Integer 'amount' got 999" in lines[0]
    assert "was told 1.0 already" in lines[4]
    assert opt.trials == [trial]


@pytest.mark.parametrize(
    ("trials", "values", "said"),
    [
        (ROWS, [1.0], "there are 3 trials and 1 values"),
        (ROWS[0], [1.0], "trials is {'solvent': 'water', 'light': True, 'time': 60}; give a list"),
        (ROWS, "abc", "values is 'abc'; give one value per trial"),
        (3, 1.0, "trials is 3; give a list of trials, numbers or configurations, or a data frame\n  values is 1.0"),
    ],
)
def test_what_is_no_list_is_refused(opt, trials, values, said):
    with pytest.raises(cas.DataError) as caught:
        opt.tell_many(trials, values)
    assert said in str(caught.value)


def test_a_data_frame_is_told_with_its_empty_cells():
    """The column of a conditional integer has floats, since it has an empty cell."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(ROWS).assign(note="", error=[1.0, 2.0, 3.0], memory=[5.0, None, 7.0])
    opt = cas.Optimizer(SPACE, seed=0, objectives={"error": "minimize"}, limits={"memory": "<= 6"})
    told = opt.tell_many(frame[list(SPACE)], frame[["error", "memory"]])
    assert [trial.configuration for trial in told] == ROWS
    assert [type(trial.configuration["light"]) for trial in told] == [bool] * 3
    assert [trial.outcomes["memory"] for trial in told] == [5.0, None, 7.0]
    assert [trial.feasible for trial in told] == [True, None, False]
    again = cas.Optimizer(SPACE, seed=0).tell_many(frame.convert_dtypes()[list(SPACE)], frame["error"])
    assert [trial.configuration for trial in again] == ROWS
    whole = cas.Optimizer(SPACE, seed=0, objectives={"error": "minimize"}, limits={"memory": "<= 6"})
    assert [trial.outcomes for trial in whole.tell_many(frame.drop(columns="note"))] == [trial.outcomes for trial in told]
    valued = frame[list(SPACE)].assign(value=[1.0, None, 3.0])
    assert [trial.value for trial in cas.Optimizer(SPACE, seed=0).tell_many(valued)] == [1.0, None, 3.0]
    with pytest.raises(cas.DataError, match="no column 'value' for the values"):
        cas.Optimizer(SPACE, seed=0).tell_many(frame)
    with pytest.raises(cas.DataError, match="values is missing"):
        cas.Optimizer(SPACE, seed=0).tell_many(ROWS)
    with pytest.raises(cas.DataError, match=r"trials\[0\]: 'note' is not a variable") as caught:
        cas.Optimizer(SPACE, seed=0).tell_many(frame.drop(columns=["error", "memory"]), frame["error"])
    assert str(caught.value).count("'note'") == 3
