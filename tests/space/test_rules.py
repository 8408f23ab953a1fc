import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import casmopolitan as cas
from casmopolitan.core.domain import MAX_TRIES
from strategies import seeds

VARIABLES = {
    "c": cas.Categorical(["x", "y", "z"]),
    "o": cas.Ordinal([1, 2, 4, 8]),
    "n": cas.Integer(0, 90),
    "r": cas.Real(0, 1),
    "s": cas.Real(0, 1, step=0.05),
    "d": cas.Real(0.01, 10, log=True, digits=2),
    "one": cas.Integer(3, 3),
}


@st.composite
def clauses(draw):
    """Clauses of up to three variables: single values, lists and ranges."""
    clause = {}
    for name in draw(st.lists(st.sampled_from(list(VARIABLES)), min_size=1, max_size=3, unique=True)):
        variable = VARIABLES[name]
        numeric = name != "c"
        if numeric and (name == "r" or draw(st.booleans())):
            ends = sorted(draw(st.lists(st.floats(0, 10), min_size=2, max_size=2)))
            clause[name] = dict(zip(("from", "to"), ends, strict=True))
        else:
            clause[name] = [variable.at(k) for k in draw(st.sets(st.integers(0, variable.count - 1), min_size=1, max_size=3))]
    return cas.Forbid(clause)


def usable(clauses):
    """The clauses without those that forbid every configuration."""
    return [clause for clause in clauses if not clause.problems(VARIABLES)]


LINEAR = st.sampled_from(["r + s <= 1", "n / 90 + r >= 0.3", "o + one <= d + 8", "2 * s - r <= 0.5"])


@given(st.lists(clauses(), max_size=4), st.lists(LINEAR, max_size=2, unique=True), seeds())
def test_all_rows_and_rules_at_once_say_what_one_configuration_after_the_other_says(forbidden, linear, seed):
    rules = [*usable(forbidden), *linear]
    space, free = cas.Space(VARIABLES, rules), cas.Space(VARIABLES)
    points = free.domain.draw(40, np.random.default_rng(seed))
    assert space.domain.allows(points).tolist() == [space.allows(configuration) for configuration in free.decode(points)]


@given(st.lists(clauses(), max_size=4), st.lists(LINEAR, max_size=2, unique=True), seeds())
def test_repaired_points_are_points_of_the_domain_that_the_rules_allow(forbidden, linear, seed):
    space = cas.Space(VARIABLES, [*usable(forbidden), *linear])
    rng = np.random.default_rng(seed)
    repaired = space.domain.repaired(space.domain.draw(8, rng), rng)
    assert all(space.allows(configuration) for configuration in space.decode(repaired))
    assert space.domain.snapped(repaired) == repaired


def planted(variables, levels, pairs, seed):
    """A space with a planted allowed point and many forbidden pairs: too tight for random points."""
    rng = np.random.default_rng(seed)
    allowed = rng.integers(levels, size=variables)
    rules = set()
    while len(rules) < pairs:
        i, j = sorted(rng.choice(variables, 2, replace=False).tolist())
        a, b = rng.integers(levels, size=2).tolist()
        if (a, b) != (allowed[i], allowed[j]):
            rules.add((i, j, a, b))
    choices = [f"c{k}" for k in range(levels)]
    clauses = [cas.Forbid({f"v{i}": choices[a], f"v{j}": choices[b]}) for i, j, a, b in rules]
    return cas.Space({f"v{i}": cas.Categorical(choices) for i in range(variables)}, clauses)


def test_points_are_found_under_many_hundred_rules():
    space = planted(30, 4, 500, seed=0)
    tries = space.domain.draw(MAX_TRIES, np.random.default_rng(7))
    assert not space.domain.allows(tries).any()
    found = space.sample(8, 7)
    assert all(map(space.allows, found))
    assert len({tuple(configuration.values()) for configuration in found}) > 1


def test_a_run_under_many_rules_suggests_only_allowed_points():
    space = planted(16, 3, 150, seed=1)
    optimizer = cas.Optimizer(space, seed=0, config=cas.Config.from_dict(cas.DEFAULT.to_dict() | {"n_initial": 4}))
    seen = []
    for trial in itertools.islice(iter(optimizer.ask, None), 8):
        assert space.allows(trial.configuration)
        assert trial.configuration not in seen
        seen.append(trial.configuration)
        optimizer.tell(trial, sum(value == "c0" for value in trial.configuration.values()))


def test_a_mixture_of_many_parts_is_sampled():
    space = cas.Space({f"x{i}": cas.Real(0, 1) for i in range(10)}, " + ".join(f"x{i}" for i in range(10)) + " <= 1")
    found = space.sample(5, 0)
    assert all(sum(configuration.values()) <= 1 + 1e-9 for configuration in found)


def test_rules_that_contradict_each_other_are_reported():
    space = cas.Space({f"x{i}": cas.Real(0, 1) for i in range(3)}, ["x0 + x1 >= 1.5", "x0 + x1 <= 1.4"])
    with pytest.raises(cas.SpaceError, match="the constraint allows none of"):
        cas.Optimizer(space, seed=0).ask()
