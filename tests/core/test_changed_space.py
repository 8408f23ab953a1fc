"""Spaces that change in mid-run, as the optimiser sees them."""

from dataclasses import replace

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import casmopolitan as cas
from casmopolitan.core.state import Observation

QUICK = replace(cas.DEFAULT, n_initial=4)
SOLVENTS = ["water", "ethanol", "toluene"]


def space_of(solvents=SOLVENTS, low=0.0, high=1.0, constraint=None, **more):
    named = {"solvent": cas.Categorical(solvents), "base": cas.Categorical(["K", "Cs", "Na"]), "x": cas.Real(low, high)}
    return cas.Space({**named, **more}, constraint)


def value_of(configuration):
    return (
        SOLVENTS.index(configuration["solvent"]) + (configuration["x"] - 0.3) ** 2
        if configuration["solvent"] in SOLVENTS
        else 5.0
    )


def run(optimizer, n):
    for _ in range(n):
        trial = optimizer.ask()
        optimizer.tell(trial, value_of(trial.configuration))
    return optimizer


@pytest.mark.parametrize("config", [QUICK, replace(cas.PAPER, n_initial=4)], ids=["default", "paper"])
def test_new_choices_are_tried_soon(config):
    optimizer = run(cas.Optimizer(space_of(), seed=0, config=config), 10)
    assert optimizer.extend(space_of([*SOLVENTS, "acetone", "DMF"])) == []
    run(optimizer, 8)
    assert {"acetone", "DMF"} <= {trial.configuration["solvent"] for trial in optimizer.trials[10:]}


def test_new_choices_are_tried_soon_in_a_batch():
    optimizer = run(cas.Optimizer(space_of(), seed=0, config=QUICK), 10)
    optimizer.extend(space_of([*SOLVENTS, "acetone", "DMF"]))
    assert {"acetone", "DMF"} <= {trial.configuration["solvent"] for trial in optimizer.ask(8)}


def test_nothing_is_renumbered_or_forgotten_and_what_does_not_fit_is_marked():
    optimizer = run(cas.Optimizer(space_of(), seed=1, config=QUICK), 9)
    before, pending = optimizer.trials, optimizer.ask(2)
    outside = optimizer.extend(space_of(SOLVENTS[1:], high=0.8, constraint=cas.Forbid({"base": "K", "x": {"from": 0.5}})))
    assert [t.configuration for t in optimizer.trials[:9]] == [t.configuration for t in before]
    assert [t.value for t in optimizer.trials[:9]] == [t.value for t in before]
    assert [t.number for t in optimizer.pending] == [t.number for t in pending]
    assert outside == [t for t in optimizer.trials if t.outside]
    assert {t.number for t in outside} == {t.number for t in optimizer.trials if not optimizer.space.allows(t.configuration)}
    assert len(optimizer.state.observations) == sum(not t.outside for t in before) - sum(
        t.outside for t in optimizer.trials[:9]
    )
    for trial in pending:
        told = optimizer.tell(trial, value_of(trial.configuration))
        assert told.status == "complete"
        assert told.outside == (not optimizer.space.allows(trial.configuration))
    assert not optimizer.pending
    assert all(optimizer.space.allows(t.configuration) for t in optimizer.ask(4))


def test_trials_count_again_when_they_fit_again():
    optimizer = run(cas.Optimizer(space_of(), seed=2, config=QUICK), 8)
    late = optimizer.ask()
    optimizer.extend(space_of(SOLVENTS, low=0.9999))
    optimizer.tell(late, value_of(late.configuration))
    assert len(optimizer.state.observations) == 0
    assert optimizer.extend(space_of()) == []
    assert sorted(o.number for o in optimizer.state.observations) == list(range(9))
    best = min(optimizer.trials, key=lambda trial: trial.value)
    assert optimizer.best_trial.number == best.number
    assert all(isinstance(o, Observation) for o in optimizer.state.observations)


def test_a_new_variable_has_the_value_that_all_trials_had():
    optimizer = run(cas.Optimizer(space_of(), seed=0, config=QUICK), 8)
    wider = space_of(stirring=cas.Categorical(["slow", "fast"]))
    assert len(optimizer.extend(wider)) == 8
    assert optimizer.extend(wider, values={"stirring": "slow"}) == []
    assert len(optimizer.state.observations) == 8
    assert set(optimizer.ask().configuration) == {"solvent", "base", "x", "stirring"}
    with pytest.raises(cas.SpaceError, match="'stirring' got 'fst'"):
        optimizer.extend(wider, values={"stirring": "fst"})


def test_earlier_studies_stay_known_where_they_fit():
    past = {"flask A": [(c, value_of(c)) for c in space_of().sample(12, 0)]}
    optimizer = run(cas.Optimizer(space_of(), seed=0, config=QUICK, past=past), 5)
    optimizer.extend(space_of(SOLVENTS[:2]))
    fit = sum(optimizer.space.allows(configuration) for configuration, _ in past["flask A"])
    assert 0 < fit < 12
    assert len(optimizer.state.past.points) == fit
    again = cas.Optimizer.from_json(optimizer.to_json())
    assert again.ask().configuration == optimizer.ask().configuration


def test_earlier_studies_and_trials_keep_the_values_of_every_extension():
    first = cas.Space({"a": cas.Categorical(["x", "y"]), "b": cas.Real(0, 1)})
    second = cas.Space({**first.variables, "c": cas.Categorical(["u", "v"]), "d": cas.Integer(1, 9, when={"a": "x"})})
    third = cas.Space({**second.variables, "b": cas.Real(0, 2)})
    past = {"A": [(configuration, configuration["b"]) for configuration in first.sample(6, 0)]}
    optimizer = cas.Optimizer(first, seed=0, config=QUICK, past=past)
    for trial in optimizer.ask(3):
        optimizer.tell(trial, trial.configuration["b"])
    assert optimizer.extend(second, values={"c": "u", "d": 5}) == []
    assert optimizer.extend(third) == []
    assert optimizer.state.past is not None
    assert {(c["c"], c.get("d")) for c in third.decode(optimizer.state.past.points)} == {("u", 5), ("u", None)}
    again = cas.Optimizer.from_json(optimizer.to_json())
    assert again.ask().configuration == optimizer.ask().configuration
    assert optimizer.extend(cas.Space({**third.variables, "e": cas.Real(0, 1)})) == optimizer.trials
    assert optimizer.state.past is None


def test_a_space_is_needed():
    with pytest.raises(cas.DataError, match="give a Space"):
        cas.Optimizer(space_of(), seed=0).extend({"x": cas.Real(0, 1)})


@settings(max_examples=4, phases=[Phase.explicit, Phase.generate])
@given(st.integers(0, 1000), st.integers(0, 7), st.sampled_from(["more", "fewer", "narrow", "rule"]))
def test_replay_equals_the_live_run(seed, at, change):
    new = {
        "more": space_of([*SOLVENTS, "DMF"]),
        "fewer": space_of(SOLVENTS[:2]),
        "narrow": space_of(low=0.2, high=0.7),
        "rule": space_of(constraint="x <= 0.6"),
    }[change]
    optimizer = run(cas.Optimizer(space_of(), seed=seed, config=QUICK), at)
    optimizer.ask()
    optimizer.extend(new)
    run(optimizer, 3)
    again = cas.Optimizer.from_json(optimizer.to_json())
    assert again.space == new
    assert again.trials == optimizer.trials
    assert [t.number for t in again.pending] == [t.number for t in optimizer.pending]
    assert again.ask().configuration == optimizer.ask().configuration
    assert again.to_json() == optimizer.to_json()
