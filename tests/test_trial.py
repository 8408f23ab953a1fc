from __future__ import annotations

import copy
import json
import math
import pickle
from dataclasses import FrozenInstanceError, asdict, replace
from decimal import Decimal
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest

from casmopolitan import FAILED, DataError, Trial
from casmopolitan.core.state import Source
from casmopolitan.trial import measured, reason_of


class Tensor:
    """As the tensors of deep-learning libraries are: a float of one element, an error of several."""

    def __init__(self, *values):
        self.values = values

    def __array__(self, dtype=None):
        return np.array(self.values)

    def item(self):
        if len(self.values) != 1:
            raise RuntimeError(f"a tensor with {len(self.values)} elements cannot be converted to a scalar")
        return self.values[0]

    def __float__(self):
        return float(self.item())


class Unspeakable:
    def __repr__(self):
        raise RuntimeError("no words")


NUMBERS = [1, 1.0, np.float32(1), np.int64(1), np.array(1.0), Fraction(1), -0.0, Decimal("0.5"), Tensor(0.25)]


@pytest.mark.parametrize("value", NUMBERS)
def test_numbers_of_every_kind_become_floats(value):
    assert type(measured(value)) is float
    assert measured(value) == float(value)


def test_an_array_of_one_element_is_that_number():
    assert measured(np.array([2.5])) == 2.5
    assert measured(np.array([[np.nan]])) is None


@pytest.mark.parametrize("value", [FAILED, math.nan, math.inf, -math.inf, np.float64("nan"), np.array(np.inf)])
def test_failures_become_none(value):
    assert measured(value) is None


NO_NUMBERS = [
    None,
    1j,
    np.complex128(1),
    [1.0],
    np.array([1.0, 2.0]),
    np.array([]),
    Tensor(1.0, 2.0),
    {},
    object(),
    Unspeakable(),
]
WORDS = ["0.3", "text", b"1", np.str_("1"), True, np.bool_(False), np.array([True]), np.array(["1"]), Tensor(True)]


@pytest.mark.parametrize("value", NO_NUMBERS + WORDS, ids=lambda value: type(value).__name__)
def test_anything_else_is_refused_by_name(value):
    with pytest.raises(DataError, match="must be a number"):
        measured(value)


def test_a_number_beyond_floats_is_refused():
    with pytest.raises(DataError, match="1e308"):
        measured(10**400)


def test_failed_reads_as_it_is_written():
    assert repr(FAILED) == "FAILED"


def test_a_trial_begins_pending_without_a_value():
    trial = Trial(3, {"a": 1})
    assert (trial.status, trial.value, trial.explanation) == ("pending", None, {})


def test_a_trial_is_hashed_by_its_number_and_compared_as_a_whole():
    pending, told = Trial(3, {"a": 1}), Trial(3, {"a": 1}, {}, "complete", 0.5)
    assert hash(pending) == hash(told) != hash(Trial(4, {"a": 1}))
    assert len({pending, Trial(3, {"a": 1}), told}) == 2


COPIES = [
    copy.copy,
    copy.deepcopy,
    lambda thing: pickle.loads(pickle.dumps(thing)),
    lambda trial: replace(trial, status="failed"),
]


@pytest.mark.parametrize("copied", COPIES)
def test_a_trial_does_not_change_with_its_dicts(copied):
    given, why, outcomes = {"a": 1}, {"centre": {"a": 2}}, {"loss": 0.5}
    trial = copied(Trial(3, given, why, outcomes=outcomes))
    given["a"] = why["centre"]["a"] = outcomes["loss"] = 7
    trial.configuration["a"] = 8
    trial.configuration.pop("a")
    trial.explanation["centre"]["a"] = 8
    trial.outcomes["loss"] = 8
    assert (trial.configuration, trial.explanation, trial.outcomes) == ({"a": 1}, {"centre": {"a": 2}}, {"loss": 0.5})
    with pytest.raises(FrozenInstanceError):
        trial.configuration = {}


def test_the_configuration_of_a_trial_is_a_plain_dict():
    trial = Trial(3, {"a": 1, "b": "x"})
    assert type(trial.configuration) is dict
    assert json.dumps(trial.configuration) == '{"a": 1, "b": "x"}'
    assert asdict(trial)["configuration"] == dict(trial.configuration) == {"a": 1, "b": "x"}
    assert repr(trial).startswith("Trial(number=3, configuration={'a': 1, 'b': 'x'}")


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))])
def test_failed_is_one_word_in_every_process(copied):
    assert copied(FAILED) is FAILED


def test_a_masked_value_is_no_value_and_a_time_no_number():
    assert measured(np.ma.masked) is None
    assert measured(np.ma.array([1.0], mask=[True])) is None
    assert measured(np.ma.array([1.5], mask=[False])) == 1.5
    for time in (np.timedelta64(5, "ns"), np.datetime64("2020-01-01", "ns")):
        with pytest.raises(DataError, match="must be a number"):
            measured(time)


@pytest.mark.parametrize("source", get_args(Source))
def test_every_source_has_a_reason_in_one_sentence(source):
    reason = reason_of({"source": source, "note": ""})
    assert reason.endswith(".")
    assert reason.count(". ") == 0


def test_the_reason_of_a_global_trial_says_that_it_may_look_bad():
    assert "explore the whole space" in reason_of({"source": "global"})
    assert "may be worse than the best value" in reason_of({"source": "global"})


def test_the_reason_for_several_objectives_is_the_hypervolume():
    assert reason_of({"source": "acquisition", "means": [1.0, 2.0]}).endswith("the largest growth of the hypervolume.")
    assert reason_of({"source": "acquisition", "means": None}).endswith("the largest improvement.")


def test_a_note_gives_the_reason():
    assert reason_of({"source": "fallback", "note": "no model: random in the region"}) == (
        "A random point: no model: random in the region."
    )
    assert "as requested" in reason_of({"source": "initial", "note": "requested"})
    for source in ("given", "acquisition"):
        found = reason_of({"source": source, "note": "fixed in advance: x, y"})
        assert found == "Requested, with these variables fixed in advance: x, y."
    assert reason_of({}) == ""
