from __future__ import annotations

import copy
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest

from casmopolitan import FAILED, DataError, Trial
from casmopolitan.trial import digits, measured


@pytest.mark.parametrize("value", [1, 1.0, np.float32(1), np.int64(1), np.array(1.0), Fraction(1), -0.0])
def test_numbers_of_every_kind_become_floats(value):
    assert type(measured(value)) is float
    assert measured(value) == float(value)


@pytest.mark.parametrize("value", [FAILED, math.nan, math.inf, -math.inf, np.float64("nan"), np.array(np.inf)])
def test_failures_become_none(value):
    assert measured(value) is None


@pytest.mark.parametrize("value", ["0.3", "text", True, np.bool_(False), None, 1j, [1.0], np.array([1.0]), {}, object()])
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


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))])
def test_failed_is_one_word_in_every_process(copied):
    assert copied(FAILED) is FAILED


@pytest.mark.parametrize(
    ("values", "count"),
    [
        ([], 6),
        ([3.0], 6),
        ([1.0, 1.0, None], 6),
        ([0.0, 1.0, 2.0, 3.0], 6),
        ([-1234.5678 + 1e-4 * k for k in range(10)], 9),
        ([-123456 + 1e-6 * k for k in range(10)], 12),
        ([5.0 + 0.1 * k for k in range(10)] + [1e9], 6),
    ],
)
def test_values_are_shown_to_as_many_digits_as_tell_them_apart(values, count):
    assert digits(values) == count
