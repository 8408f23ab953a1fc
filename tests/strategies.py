"""Hypothesis strategies for spaces and what lives in them."""

from __future__ import annotations

import math
from dataclasses import replace

from hypothesis import strategies as st

from casmopolitan.space import Categorical, Forbid, Integer, Ordinal, Real, Space
from casmopolitan.space.activity import Activity
from casmopolitan.space.variables import is_discrete


def seeds():
    return st.integers(0, 2**32 - 1)


def scalars():
    """Every JSON scalar, with a liking for those that Python calls equal."""
    alike = st.sampled_from([0, 1, True, False, 1.0, 0.0, "1", "True", None, "None", ""])
    floats = st.floats(allow_nan=False, allow_infinity=False).map(lambda v: v + 0.0)
    return alike | st.text(max_size=5) | st.integers() | floats


def identity(value):
    return type(value), value


def categoricals(max_choices=6):
    return st.lists(scalars(), min_size=1, max_size=max_choices, unique_by=identity).map(Categorical)


@st.composite
def ordinals(draw, max_values=6):
    if draw(st.booleans()):
        words = st.text(max_size=4) | st.none() | st.booleans()
        return Ordinal(draw(st.lists(words, min_size=1, max_size=max_values, unique_by=identity)))
    log = draw(st.booleans())
    bound = 1e-6 if log else -1e6
    numbers = st.integers(math.ceil(bound), 10**6) | st.floats(bound, 1e6)
    return Ordinal(sorted(draw(st.lists(numbers, min_size=1, max_size=max_values, unique=True))), log=log)


@st.composite
def integers(draw, max_count=10**6):
    """Narrow and wide, any step, log or not, the step dividing the range or not."""
    log = draw(st.booleans())
    low = draw(st.integers(1, 1000) if log else st.integers(-(10**6), 10**6))
    step = draw(st.integers(1, 7))
    steps = draw(st.integers(0, 30) | st.integers(0, max_count - 1))
    rest = draw(st.integers(0, step - 1)) if steps else 0
    return Integer(low, low + steps * step + rest, step=step, log=log)


def stepped_reals(max_count=10**5):
    """Grids of decimals, log or not, the step dividing the range or not."""

    @st.composite
    def build(draw):
        log = draw(st.booleans())
        step = draw(st.sampled_from([1e-3, 0.05, 0.1, 0.25, 1 / 3, 0.5, 1.0, 2.5, 1e3]))
        low = draw(st.integers(1 if log else -1000, 1000)) * step
        steps = draw(st.integers(1, 40) | st.integers(1, max_count - 1))
        rest = draw(st.sampled_from([0.0, 0.5]))
        return Real(low, low + (steps + rest) * step, step=step, log=log)

    return build()


@st.composite
def reals(draw):
    log = draw(st.booleans())
    low = draw(st.floats(1e-12, 1e9) if log else st.floats(-1e9, 1e9))
    width = draw(st.floats(1e-6, 1e6))
    return Real(low, low + width * max(abs(low), 1e-6), log=log)


@st.composite
def reals_with_digits(draw):
    """Numbers with a few significant digits, log or not, over one decade or several, with 0 in the range or not."""
    log = draw(st.booleans())
    digits = draw(st.integers(1, 4))
    high = draw(st.sampled_from([1.0, 0.37, 98.6, 1e4]))
    low = draw(st.sampled_from([high / 3, high / 1000] if log else [-high / 3, 0.0, high / 20]))
    return Real(low, high, log=log, digits=digits)


def variables():
    return categoricals() | ordinals() | integers() | stepped_reals() | reals_with_digits() | reals()


def finite_variables():
    return categoricals() | ordinals() | integers() | stepped_reals() | reals_with_digits()


@st.composite
def spaces(draw, kinds=None, min_variables=1, max_variables=6, clauses=1):
    """Spaces of any mix of variables, sometimes with a clause that forbids one combination of values."""
    names = draw(st.lists(st.text(min_size=1, max_size=6), min_size=min_variables, max_size=max_variables, unique=True))
    named = {name: draw(kinds if kinds is not None else variables()) for name in names}
    countable = [name for name, variable in named.items() if 1 < variable.count < math.inf]
    rules = []
    for _ in range(draw(st.integers(0, clauses)) if countable else 0):
        chosen = draw(st.lists(st.sampled_from(countable), min_size=1, max_size=2, unique=True))
        rules.append(Forbid({name: named[name].at(draw(st.integers(0, named[name].count - 1))) for name in chosen}))
    return Space(named, constraint=rules)


@st.composite
def conditional_spaces(draw, kinds=None, max_variables=6):
    """Spaces in which variables exist only for some values of others, in chains too, declared in any order."""
    count = draw(st.integers(2, max_variables))
    named, parents = {"root": Categorical(list("abc")[: draw(st.integers(2, 3))])}, ["root"]
    for i in range(1, count):
        variable = draw(kinds if kinds is not None else variables())
        when = {}
        for parent in draw(st.lists(st.sampled_from(parents), max_size=2, unique=True)):
            of = named[parent]
            indices = draw(st.lists(st.integers(0, of.count - 1), min_size=1, max_size=2, unique=True))
            when[parent] = [of.at(k) for k in indices]
        named[f"v{i}"] = replace(variable, when=when or None)
        if is_discrete(variable):
            parents.append(f"v{i}")
    return Space(draw(st.permutations(list(named.items()))))


def domains(**options):
    """The domains of `spaces(**options)`."""
    return spaces(**options).map(lambda space: space.domain)


@st.composite
def configurations(draw, space):
    """One configuration of the space, its constraint not considered."""
    values = {name: draw(values_of(space[name])) for name in space}
    found = {}
    for name in Activity(space.variables).order:
        when = space[name].when or {}
        if all(parent in found and identity(found[parent]) in map(identity, listed) for parent, listed in when.items()):
            found[name] = values[name]
    return {name: found[name] for name in space if name in found}


def values_of(variable):
    if variable.count == math.inf:
        return st.floats(variable.low, variable.high).map(lambda v: v + 0.0)
    if isinstance(variable, Real) and variable.grid is None:
        return st.just(variable.low)
    return st.integers(0, variable.count - 1).map(variable.at)
