"""Slices through the space around the best point."""

from __future__ import annotations

import casmopolitan as cas
from casmopolitan.analysis.slices import slice_values


def test_a_slice_goes_through_the_best_value():
    assert 3 in slice_values(cas.Integer(1, 1000), 3)
    assert 0.123 in slice_values(cas.Real(0, 1), 0.123)
    many = cas.Categorical([f"c{k}" for k in range(100)])
    assert "c77" in slice_values(many, "c77")
    assert len(slice_values(many, "c77")) == 24


def test_a_real_variable_in_many_steps_has_its_best_value_in_its_slice():
    variable = cas.Real(0.0, 1.0, step=0.01)
    for k in range(101):
        assert variable.at(k) in slice_values(variable, variable.at(k))
