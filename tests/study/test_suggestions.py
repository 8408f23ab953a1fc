"""The next suggestions of a study, found in a copy of it."""

from __future__ import annotations

import optuna
import pytest

import casmopolitan as cas
from casmopolitan.goals import Goals
from casmopolitan.study.sampler.sampler import CasmopolitanSampler
from casmopolitan.study.sampler.search_space import suggest, translation_of
from casmopolitan.study.suggestions import next_suggestions

SPACE = cas.Space({"a": cas.Categorical(["x", "y", "z"]), "n": cas.Integer(1, 9), "p": cas.Real(0, 1, when={"a": "x"})})


def studied(space=SPACE, count=12):
    study = optuna.create_study(sampler=CasmopolitanSampler(space, seed=3, config=cas.Config(n_initial=4)))
    for _ in range(count):
        trial = study.ask()
        c = suggest(trial, space)
        study.tell(trial, (c["a"] == "x") + abs(c.get("n", 4) - 4) / 3)
    return study


def suggestions(study, space=SPACE, count=3):
    trials = study.get_trials(deepcopy=False)
    return next_suggestions(study, trials, translation_of(space), study.sampler, Goals.of(), count)


@pytest.fixture(scope="module")
def study():
    return studied()


def test_they_are_what_the_study_asks_for_next_and_the_study_does_not_change(study):
    running = study.ask()
    suggest(running, SPACE)
    before, level = study.get_trials(), optuna.logging.get_verbosity()
    found = suggestions(study, count=2)
    assert study.get_trials() == before
    assert optuna.logging.get_verbosity() == level
    asked = study.ask()
    assert (found[0].number, found[0].configuration) == (asked.number, suggest(asked, SPACE))
    assert found[0].explanation["reason"]
    assert found[1].configuration not in [found[0].configuration, running.params]


def test_a_trial_whose_value_was_edited_out_of_its_range_does_not_prevent_them(study):
    trials = study.get_trials()
    trials[5].params = trials[5].params | {"n": 500}
    found = next_suggestions(study, trials, translation_of(SPACE), study.sampler, Goals.of(), 2)
    assert [row.number for row in found] == [len(trials), len(trials) + 1]


def test_an_exhausted_space_has_fewer():
    space = cas.Space({"a": cas.Categorical(["x", "y", "z"])})
    assert [row.number for row in suggestions(studied(space, 2), space)] == [2]
    assert suggestions(studied(space, 3), space) == []
