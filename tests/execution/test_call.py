from decimal import Decimal

import numpy as np
import pytest

import casmopolitan as cas
from casmopolitan.execution.call import as_number


@pytest.mark.parametrize("answer", [1, 0.5, Decimal("0.5"), np.float32(0.5), np.array(0.5), np.array([0.5])])
def test_whatever_makes_a_float_of_itself_is_a_number(answer):
    found = as_number(answer)
    assert type(found) is float
    assert found in (0.5, 1.0)


def test_the_word_for_failure_is_none():
    assert as_number(cas.FAILED) is None


@pytest.mark.parametrize(
    "answer", [None, True, np.bool_(True), np.array([True]), "0.5", b"1", 1j, np.complex128(1), [0.5], np.ones(2)]
)
def test_what_is_no_number_is_refused(answer):
    with pytest.raises(TypeError, match="it must return a number"):
        as_number(answer)
