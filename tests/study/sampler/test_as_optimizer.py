"""A study as an optimiser, from which figures are drawn."""

from __future__ import annotations

import warnings

import optuna
import pytest
from optuna.samplers import RandomSampler

import casmopolitan as cas
from casmopolitan import plots
from casmopolitan.study import CasmopolitanSampler, open_study
from casmopolitan.study.sampler.as_optimizer import as_optimizer


def objective(trial):
    kind = trial.suggest_categorical("kind", ["a", "b"])
    size = trial.suggest_int("size", 1, 100)
    if kind == "b":
        size += trial.suggest_float("rate", 1e-3, 1.0, log=True)
    return float(size)


@pytest.fixture(scope="module")
def study():
    """Trials of our sampler in a script with a branch, a failed one and a pruned one among them."""
    made = optuna.create_study(direction="maximize", sampler=CasmopolitanSampler(seed=0))

    def run(trial):
        value = objective(trial)
        if trial.number == 4:
            raise ValueError
        if trial.number == 6:
            trial.report(5000.0, 0)
            raise optuna.TrialPruned
        return value

    made.optimize(run, n_trials=16, catch=(ValueError,))
    return made


def test_an_optimiser_has_the_trials_of_a_study_and_why_they_were_suggested(study):
    found = as_optimizer(study)
    assert found.direction == "maximize"
    assert [trial.number for trial in found.trials] == list(range(16))
    assert [trial.configuration for trial in found.trials] == [trial.params for trial in study.trials]
    assert found.best_value == study.best_value
    statuses = {trial.number: trial.status for trial in found.trials if trial.status != "complete"}
    assert statuses == {4: "failed", 6: "cancelled"}
    rows = cas.study.explain(study)
    last = found.trials[-1].explanation
    assert (last["source"], last["radius"], last["mean"]) == tuple(rows[-1][name] for name in ("source", "radius", "mean"))
    assert "rate" in found.space


def test_a_study_of_another_sampler_has_given_trials_and_its_failures():
    made = optuna.create_study(sampler=RandomSampler(seed=0))
    made.optimize(lambda trial: 1 / (objective(trial) > 50), n_trials=8, catch=(ZeroDivisionError,))
    found = as_optimizer(made)
    assert {trial.explanation["source"] for trial in found.trials} == {"given"}
    complete = [trial.number for trial in made.trials if trial.state.name == "COMPLETE"]
    assert [trial.number for trial in found.trials if trial.status == "complete"] == complete
    assert len(found.trials) > len(complete)
    labels = [text.get_text() for text in plots.convergence(made).axes[0].get_legend().get_texts()]
    assert labels == ["best so far", "given", "failed"]


def test_the_declared_space_counts_and_nothing_is_recorded(tmp_path):
    space = cas.Space({"a": cas.Ordinal([1, 2, 4]), "b": cas.Real(0, 1)}, [cas.Forbid({"a": 4})])
    made = open_study("s", f"sqlite:///{tmp_path}/s.db", sampler=CasmopolitanSampler(space, seed=0))
    assert as_optimizer(made).space == space
    assert as_optimizer(made).trials == []
    assert made._storage.get_study_system_attrs(made._study_id) == {}
    with pytest.raises(cas.DataError, match="no trial has been completed"):
        plots.convergence(made)


def test_a_study_without_trials_or_space_is_refused():
    with pytest.raises(cas.DataError, match="has no completed trial with parameters that can be modelled"):
        plots.convergence(optuna.create_study())


def test_objectives_and_constraints_keep_their_values_whatever_their_names():
    made = optuna.create_study(directions=["maximize", "minimize"])
    with warnings.catch_warnings(action="ignore"):  # an experimental method
        made.set_metric_names(["speed", "error"])  # not in the order of the alphabet

    def run(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        trial.set_constraint("weight", x - 0.5)
        trial.set_constraint("1 error", 0.0)
        return 10 + x, x

    made.sampler = RandomSampler(seed=0)
    made.optimize(run, n_trials=5)
    found = as_optimizer(made)
    assert found.goals.objectives == {"0 speed": "maximize", "1 error": "minimize"}
    assert set(found.goals.limits) == {"constraint 1 error", "weight"}
    for ours, theirs in zip(found.trials, made.trials, strict=True):
        x = theirs.params["x"]
        assert ours.outcomes == pytest.approx({"0 speed": 10 + x, "1 error": x, "constraint 1 error": 0.0, "weight": x - 0.5})
        assert ours.feasible == (x <= 0.5)


@pytest.mark.parametrize(
    "draw",
    [
        plots.convergence,
        plots.trust_region,
        plots.relevance,
        plots.slices,
        plots.contour,
        plots.parallel_coordinates,
        lambda study: plots.acquisition(study, "size"),
    ],
)
def test_figures_are_drawn_from_a_study(draw, study, tmp_path):
    draw(study).savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 5000


def test_figures_of_points_and_of_several_objectives_are_drawn_from_a_study():
    small = optuna.create_study(sampler=CasmopolitanSampler(seed=0))
    small.optimize(lambda trial: float(trial.suggest_int("a", 1, 4) + trial.suggest_int("b", 1, 4)), n_trials=6)
    assert plots.region(small, at=[1]).axes
    several = optuna.create_study(directions=["minimize", "minimize"], sampler=RandomSampler(seed=0))

    def run(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        trial.set_constraint("weight", x - 0.5)
        return x, 1 - x

    several.optimize(run, n_trials=6)
    for draw in (plots.front, plots.hypervolume, plots.feasibility):
        assert draw(several).axes
