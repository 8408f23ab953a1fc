import numpy as np
import pytest

from casmopolitan.problems import functions


@pytest.mark.parametrize(
    ("function", "minimiser", "value"),
    [
        (functions.ackley, [0.0] * 5, 0.0),
        (functions.rosenbrock, [1.0] * 5, 0.0),
        (functions.levy, [1.0] * 5, 0.0),
        (functions.branin, [np.pi, 2.275], 0.397887),
        (functions.branin, [-np.pi, 12.275], 0.397887),
        (functions.camel, [0.0898, -0.7126], -1.0316),
        (functions.beale, [3.0, 0.5], 0.0),
        (functions.rastrigin, [0.0] * 5, 0.0),
        (functions.schwefel, [420.9687] * 5, 0.0),
        (functions.sphere, [0.0] * 5, 0.0),
        (functions.styblinski_tang, [-2.903534] * 5, -39.16617 * 5),
        (functions.griewank, [0.0] * 5, 0.0),
    ],
)
def test_each_function_has_its_textbook_minimum(function, minimiser, value):
    z = np.array(minimiser)
    assert function(z) == pytest.approx(value, abs=1e-4)
    steps = np.random.default_rng(0).normal(scale=0.05, size=(50, len(z)))
    assert min(function(z + step) for step in steps) >= value - 1e-3


@pytest.mark.parametrize(
    ("function", "z", "value"),
    [
        (functions.ackley, [1.0, 1.0], 3.625385),
        (functions.rosenbrock, [0.0, 0.0, 0.0], 2.0),
        (functions.levy, [0.0, 0.0], np.sin(0.75 * np.pi) ** 2 + (1 + 10 * np.sin(0.75 * np.pi + 1) ** 2 + 2) / 16),
        (functions.beale, [0.0, 0.0], 14.203125),
        (functions.camel, [1.0, 1.0], 4 - 2.1 + 1 / 3 + 1),
        (functions.rastrigin, [1.0, 2.0], 5.0),
        (functions.griewank, [np.pi, 0.0], np.pi**2 / 4000 + 2),
        (functions.styblinski_tang, [1.0, 1.0], -10.0),
    ],
)
def test_each_function_has_its_value_at_a_point_worked_out_by_hand(function, z, value):
    assert function(np.array(z)) == pytest.approx(value, abs=1e-6)
