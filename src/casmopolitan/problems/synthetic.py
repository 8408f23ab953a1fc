"""The paper's synthetic problems (App. B.2, C.2): Func2C, Func3C, Ackley-53, Rosenbrock-200, Branin, Levy.

The authors' code adds 1e-6 · U(0, 1) to Func2C, Func3C and Ackley-53. Here it is left out, so that values are exact.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from casmopolitan.errors import DataError
from casmopolitan.problems import functions
from casmopolitan.problems.problem import Array, Configuration, Optimum, Problem, numbered, vector
from casmopolitan.space import Categorical, Ordinal, Real, Space, Variable

CAMEL = (0.08984201368301331, -0.7126564032704135)
"""A minimiser of the six-hump camel function; the other is its negative."""


def ros(u: Array) -> float:
    """Return the Rosenbrock term of Func2C and Func3C, scaled by 1/300."""
    return functions.rosenbrock(u) / 300


def cam(u: Array) -> float:
    """Return the six-hump camel term, scaled by 1/10 (its first coefficient is 4; the 5 in App. C.2 is a misprint)."""
    return functions.camel(u) / 10


def bea(u: Array) -> float:
    """Return the Beale term, scaled by 1/50."""
    return functions.beale(u) / 50


FIRST = (ros, cam, bea)
SECOND = (ros, cam, bea, bea, bea)
THIRD = ((5, cam), (2, ros), (2, bea), (3, bea))
"""The weight and term that h3 adds to Func3C, from the authors' code (the paper's table swaps ros and cam)."""


def func2c_value(configuration: Configuration) -> float:
    """FIRST[h1](u) + SECOND[h2](u) with u = 2x."""
    u = 2 * vector(configuration, ("x1", "x2"))
    return FIRST[configuration["h1"]](u) + SECOND[configuration["h2"]](u)


def func3c_value(configuration: Configuration) -> float:
    """Func2C + w · term(u), where h3 chooses the weight w and the term from THIRD."""
    weight, term = THIRD[configuration["h3"]]
    return func2c_value(configuration) + weight * term(2 * vector(configuration, ("x1", "x2")))


def func2c() -> Problem:
    """Return the sum of two functions on [−1, 1]², each chosen out of three by a categorical variable."""
    best = {"h1": 1, "h2": 1, "x1": CAMEL[0] / 2, "x2": CAMEL[1] / 2}
    choices: dict[str, Variable] = {"h1": Categorical([0, 1, 2]), "h2": Categorical([0, 1, 2, 3, 4])}
    return Problem(
        name="func2c",
        space=Space({**choices, "x1": Real(-1, 1), "x2": Real(-1, 1)}),
        function=func2c_value,
        source="Wan et al. 2021, App. C.2; Ru et al. 2020",
        optimum=Optimum(func2c_value(best), best, exact=True),
        extends=True,
    )


def func3c() -> Problem:
    """Func2C with a third categorical variable that adds one more weighted function."""
    best = {"h1": 1, "h2": 1, "h3": 0, "x1": CAMEL[0] / 2, "x2": CAMEL[1] / 2}
    choices: dict[str, Variable] = {f"h{i}": Categorical(list(range(n))) for i, n in ((1, 3), (2, 5), (3, 4))}
    return Problem(
        name="func3c",
        space=Space({**choices, "x1": Real(-1, 1), "x2": Real(-1, 1)}),
        function=func3c_value,
        source="Wan et al. 2021, App. C.2; Ru et al. 2020",
        optimum=Optimum(func3c_value(best), best, exact=True),
        extends=True,
    )


def ackley(n: int = 53) -> Problem:
    """Ackley's function on n − 3 binaries in {0, 1} and 3 reals in [−1, 1]; 0 at the origin."""
    if n < 4:
        raise DataError(f"ackley-{n}: Ackley has three continuous variables and at least one binary; take n >= 4")
    h, x = numbered("h", n - 3), numbered("x", 3)
    best = dict.fromkeys(h, 0) | dict.fromkeys(x, 0.0)
    return Problem(
        name=f"ackley-{n}",
        space=Space({name: Categorical([0, 1]) for name in h} | {name: Real(-1, 1) for name in x}),
        function=partial(_of_vector, names=h + x, of=functions.ackley),
        source="Wan et al. 2021, App. C.2; Bliek et al. 2020",
        optimum=Optimum(0.0, best, exact=True),
        extends=True,
    )


def rosenbrock(n: int = 200) -> Problem:
    """Rosenbrock's function / 50000; the first half in {0, 1}, the second in [−2, 2]; 0 at ones."""
    if n < 2 or n % 2:
        raise DataError(f"rosenbrock-{n}: half of the variables are binary and half continuous; take an even n >= 2")
    h, x = numbered("h", n // 2), numbered("x", n // 2)
    best = dict.fromkeys(h, 1) | dict.fromkeys(x, 1.0)
    return Problem(
        name=f"rosenbrock-{n}",
        space=Space({name: Categorical([0, 1]) for name in h} | {name: Real(-2, 2) for name in x}),
        function=partial(_of_vector, names=h + x, of=functions.rosenbrock, scale=1 / 50000),
        source="Wan et al. 2021, App. C.2",
        optimum=Optimum(0.0, best, exact=True),
        extends=True,
    )


def branin(n: int = 51, *, categorical: bool = False) -> Problem:
    """Branin on an n × n grid of [−1, 1]²: z = 7.5 g + (2.5, 7.5). Both variables are ordinal, or both categorical."""
    if n < 2:
        raise DataError(f"branin-{n}: a grid needs at least two values per side; take n >= 2")
    grid = [round(float(g), 12) for g in np.linspace(-1, 1, n)]
    best = min(({"x1": a, "x2": b} for a in grid for b in grid), key=branin_value)
    kind = Categorical if categorical else Ordinal
    return Problem(
        name=f"branin-{n}" + ("-categorical" if categorical else ""),
        space=Space({"x1": kind(grid), "x2": kind(grid)}),
        function=branin_value,
        source="Wan et al. 2021, App. B.2; Oh et al. 2019",
        optimum=Optimum(branin_value(best), best, exact=True),
    )


def branin_value(configuration: Configuration) -> float:
    """Branin at 7.5 g + (2.5, 7.5)."""
    return functions.branin(np.array([7.5 * configuration["x1"] + 2.5, 7.5 * configuration["x2"] + 7.5]))


def levy(n: int = 20) -> Problem:
    """Levy's function on [−10, 10]^n, all continuous; 0 at ones (App. B compares restarts on it)."""
    names = numbered("x", n)
    return Problem(
        name=f"levy-{n}",
        space=Space({name: Real(-10, 10) for name in names}),
        function=partial(_of_vector, names=names, of=functions.levy),
        source="Wan et al. 2021, App. B",
        optimum=Optimum(0.0, dict.fromkeys(names, 1.0), exact=True),
        extends=True,
    )


def _of_vector(configuration: Configuration, names: tuple[str, ...], of: functions.Of, scale: float = 1.0) -> float:
    """Return a function of the vector of all variables, scaled."""
    return scale * of(vector(configuration, names))
