import itertools

import pytest

from casmopolitan import problems
from casmopolitan.problems.nominal import SEPARABLE, WHOLE, nominal


@pytest.mark.parametrize("function", [*SEPARABLE, *WHOLE])
def test_three_variables_enumerated_have_the_stated_optimum(function):
    problem = nominal(function, 3)
    levels = problem.space["x1"].choices
    every = (dict(zip(("x1", "x2", "x3"), z, strict=True)) for z in itertools.product(levels, repeat=3))
    assert min(map(problem.function, every)) == pytest.approx(problem.optimum.value, abs=1e-12)
    assert problem.optimum.exact


def test_every_variable_has_eleven_choices_without_order():
    space = problems.get("sfu-ackley-20").space
    assert len(space) == 20
    assert all(type(v).__name__ == "Categorical" and v.count == 11 for v in space.variables.values())
    assert (space["x1"].choices[0], space["x1"].choices[5], space["x1"].choices[-1]) == (-32.768, 0.0, 32.768)


def test_ackleys_optimum_is_the_middle_level():
    assert set(problems.get("sfu-ackley-20").optimum.configuration.values()) == {0.0}
