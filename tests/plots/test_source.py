"""What a figure can be drawn from."""

from __future__ import annotations

import pytest

import casmopolitan as cas
from casmopolitan.plots import convergence, trust_region


@pytest.mark.parametrize("draw", [convergence, trust_region])
@pytest.mark.parametrize("source", [None, 3, {"a": 1}, iter([])])
def test_what_holds_no_trials_is_refused_by_name(draw, source):
    with pytest.raises(
        cas.DataError, match=f"a Result, an Optimizer, a study of Optuna or a list of trials; got a {type(source).__name__}"
    ):
        draw(source)


def test_a_direction_that_is_none_is_refused(tuned):
    with pytest.raises(cas.DataError, match="direction is 'up'; it must be 'minimize' or 'maximize'"):
        convergence(tuned.trials, direction="up")
