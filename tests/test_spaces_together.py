"""Conditions, descriptions, lists, fixed values, earlier studies and changes of the space, all in one run."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import casmopolitan as cas
from strategies import conditional_spaces, seeds

QUICK = replace(cas.DEFAULT, n_initial=3, fit_steps=5, candidates=20, climbers=2)


def described(space, rng):
    """The space with random descriptions of its choices."""
    found = {}
    for name, variable in space.variables.items():
        if isinstance(variable, cas.Categorical) and variable.count > 1 and rng.random() < 0.5:
            variable = replace(variable, descriptors=rng.standard_normal((variable.count, 2)).tolist())
        found[name] = variable
    return cas.Space(found)


def listed(space, rng):
    """A list of some configurations of the space, with the same variables as far as they occur."""
    if any(None in getattr(variable, "choices", getattr(variable, "values", ())) for variable in space.variables.values()):
        return space  # in a list, None stands for no value
    rows = space.sample(25, int(rng.integers(1000)))
    names = {name for row in rows for name in row}
    return cas.Space.of(rows, variables={name: variable for name, variable in space.variables.items() if name in names})


def value(configuration):
    """A number that depends on every value."""
    return float(sum(len(repr(item)) % 5 for item in configuration.items()))


def identity(configuration):
    return tuple(sorted((name, repr(item)) for name, item in configuration.items()))


@settings(max_examples=25, deadline=None)
@given(conditional_spaces(max_variables=5), seeds(), st.booleans(), st.booleans(), st.lists(st.integers(0, 3), max_size=7))
def test_every_suggestion_is_valid_and_new_and_a_saved_run_goes_on_exactly(space, seed, as_list, with_past, actions):
    rng = np.random.default_rng(seed)
    space = described(space, rng)
    space = listed(space, rng) if as_list else space
    past = {"A": [(c, value(c)) for c in space.sample(6, 1)]} if with_past else None
    optimizer = cas.Optimizer(space, seed=seed % 1000, config=QUICK, past=past)
    for action in [0, 0, 0, *actions]:
        row = space.sample(1, int(rng.integers(1000)))[0]
        name = sorted(row)[int(rng.integers(len(row)))]
        if action == 3:
            space = listed(space, rng)
            optimizer.extend(space)
            continue
        again = cas.Optimizer.from_json(optimizer.to_json())
        fixed = {name: row[name]} if action == 1 and space.allows(row) else None
        try:
            trial = optimizer.ask(fixed=fixed)
        except cas.ExhaustedError:
            continue
        assert again.ask(fixed=fixed) == trial
        assert space.allows(trial.configuration)
        assert fixed is None or trial.configuration[name] == fixed[name]
        if action != 2:
            optimizer.tell(trial, value(trial.configuration))
    tried = [identity(trial.configuration) for trial in optimizer.trials]
    assert len(set(tried)) == len(tried)
