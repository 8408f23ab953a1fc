import math
import pickle
import warnings
from dataclasses import replace

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState

import casmopolitan as cas
from casmopolitan.study import (
    CasmopolitanSampler,
    SettingsWarning,
    distributions_of,
    exhausted,
    explain,
    open_study,
    stop_when_exhausted,
    suggest,
)
from casmopolitan.study.sampler import records
from sampled import MIXED, NINE, QUICK, made, objective, params, value_of


@pytest.mark.parametrize("config", [QUICK, replace(cas.DEFAULT, n_initial=5)], ids=["quick", "default"])
def test_a_study_makes_the_suggestions_of_the_bare_optimiser(config):
    study, bare = made(config=config), cas.Optimizer(MIXED, seed=0, config=config)
    for _ in range(12):
        trial, asked = study.ask(distributions_of(MIXED)), bare.ask()
        assert trial.params == asked.configuration
        study.tell(trial, value_of(trial.params))
        bare.tell(asked, value_of(asked.configuration))


def test_maximising_is_minimising_with_the_other_sign():
    up, down = made(direction="maximize"), made()
    up.optimize(lambda trial: -objective(trial), n_trials=9)
    down.optimize(objective, n_trials=9)
    assert params(up) == params(down)
    means = [(a["mean"], b["mean"]) for a, b in zip(explain(up), explain(down), strict=True) if a["mean"] is not None]
    assert means
    assert all(a == -b for a, b in means)


def test_a_study_continued_by_a_new_sampler_is_the_study_uninterrupted(tmp_path):
    whole = made()
    whole.optimize(objective, n_trials=12)
    storage = f"sqlite:///{tmp_path}/s.db"
    for _ in range(2):
        made(storage=storage, name="s").optimize(objective, n_trials=6)
    assert params(optuna.load_study(study_name="s", storage=storage)) == params(whole)


def test_values_are_native():
    study = made()
    for _ in range(7):
        trial = study.ask(distributions_of(MIXED))
        kinds = {name: type(value) for name, value in trial.params.items()}
        assert kinds == {"letter": str, "size": int, "layers": int, "rate": float, "share": float}
        study.tell(trial, value_of(trial.params))


def test_asks_without_answers_never_repeat_a_point():
    study = made(NINE)
    asked = [study.ask(distributions_of(NINE)).params for _ in range(9)]
    assert len({tuple(one.values()) for one in asked}) == 9
    assert not exhausted(study)


def test_a_callback_stops_when_the_space_is_exhausted():
    study = made(NINE)
    study.optimize(lambda trial: suggest(trial, NINE)["x"], n_trials=50, callbacks=[stop_when_exhausted])
    assert len(study.trials) == 10
    assert len({tuple(one.values()) for one in params(study)}) == 9


def test_threads_of_one_study_never_evaluate_a_point_twice():
    space = cas.Space({f"c{i}": cas.Categorical([0, 1, 2]) for i in range(4)})
    study = made(space)
    study.optimize(lambda trial: sum(suggest(trial, space).values()), n_trials=24, n_jobs=4)
    assert len({tuple(sorted(one.items())) for one in params(study)}) == 24


def test_failed_infinite_and_infeasible_points_are_avoided():
    study = made(NINE)
    outcomes = {0: math.nan, 1: math.inf, 2: -math.inf}

    def troubled(trial):
        configuration = suggest(trial, NINE)
        if trial.number == 3:
            raise RuntimeError("broken")
        if trial.number == 4:
            trial.set_constraint("weight", 1.0)
        return outcomes.get(trial.number, configuration["x"])

    study.optimize(troubled, n_trials=9, catch=RuntimeError)
    assert len({tuple(one.values()) for one in params(study)}) == 9


def test_an_infeasible_trial_never_becomes_a_centre():
    def first_violates(trial):
        trial.set_constraint("first", 1.0 if trial.number == 0 else 0.0)
        return -100.0 if trial.number == 0 else objective(trial) + 0 * suggest(trial, MIXED)["share"]

    study = made()
    study.optimize(first_violates, n_trials=10)
    centres = {row["centre"] for row in explain(study) if row["source"] == "acquisition"}
    assert centres
    assert 0 not in centres


def constrained(trial):
    """Light and small: both constraints need many of the first choices."""
    configuration = suggest(trial, MIXED)
    trial.set_constraint("weight", configuration["size"] + configuration["layers"] - 5.0)
    trial.set_constraint("heat", 3.0 * configuration["rate"] - configuration["share"])
    return value_of(configuration)


@pytest.mark.parametrize("config", [QUICK, replace(cas.DEFAULT, n_initial=5)], ids=["quick", "default"])
def test_constraints_are_the_limits_of_the_bare_optimiser(config):
    study, bare = made(config=config), cas.Optimizer(MIXED, seed=0, config=config, limits={"heat": "<= 0", "weight": "<= 0"})
    for _ in range(10):
        study.optimize(constrained, n_trials=1)
        trial, asked = study.trials[-1], bare.ask()
        assert trial.params == asked.configuration
        bare.tell(asked, {"value": trial.value, **trial.constraints})
    rows = explain(study)
    assert all((row["feasible"] is None) == (row["source"] == "initial") for row in rows)
    assert [row["feasible"] for row in rows] == [trial.explanation["feasible"] for trial in bare.trials]


def test_a_study_with_constraints_continued_by_a_new_sampler_is_the_study_uninterrupted(tmp_path):
    whole = made()
    whole.optimize(constrained, n_trials=8)
    storage = f"sqlite:///{tmp_path}/s.db"
    for _ in range(2):
        made(storage=storage, name="s").optimize(constrained, n_trials=4)
    assert params(optuna.load_study(study_name="s", storage=storage)) == params(whole)


def test_the_size_of_a_violation_leads_to_the_feasible_points():
    space = cas.Space({f"c{i}": cas.Categorical(["a", "b", "c", "d"]) for i in range(6)})  # 19 of 4096 points are feasible

    def violated(trial):
        wrong = sum(value != "b" for value in suggest(trial, space).values())
        trial.set_constraint("wrong", wrong - 1.0)
        return float(-wrong)  # the objective leads away from them

    study = made(space, config=replace(cas.DEFAULT, n_initial=8))
    study.optimize(violated, n_trials=24)
    assert all(trial.constraints["wrong"] > 0 for trial in study.trials[:8])
    assert study.best_value == -1.0


def test_an_acquisition_function_without_limits_takes_infeasible_trials_as_failed():
    study = made(config=replace(QUICK, acquisition="ucb"))
    study.optimize(constrained, n_trials=8)
    state = study.sampler._cache(study)._history.state(study.get_trials(deepcopy=False), -1)
    met = [all(value <= 0 for value in trial.constraints.values()) for trial in study.trials]
    assert (len(state.observations), len(state.failures)) == (met.count(True), met.count(False))
    assert met.count(False)


def test_an_infinitely_good_trial_never_becomes_a_centre():
    study = made()
    study.optimize(lambda trial: -math.inf if trial.number == 0 and suggest(trial, MIXED) else objective(trial), n_trials=10)
    centres = {row["centre"] for row in explain(study) if row["source"] == "acquisition"}
    assert centres
    assert 0 not in centres


def test_an_interrupted_trial_neither_counts_nor_is_avoided():
    study = made(NINE)

    def interrupted(trial):
        suggest(trial, NINE)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study.optimize(interrupted, n_trials=1)
    assert records.FAILED not in study.trials[0].system_attrs
    study.optimize(lambda trial: suggest(trial, NINE)["x"], n_trials=9)
    assert not exhausted(study)
    assert params(study)[0] in params(study)[1:]


def test_an_objective_that_raises_is_marked_as_failed():
    study = made(NINE)
    study.optimize(lambda trial: suggest(trial, NINE)["x"] / 0, n_trials=1, catch=ZeroDivisionError)
    assert study.trials[0].system_attrs[records.FAILED] is True


def summed(trial):
    """Report a sum that grows over four instances; the last is the result. Odd trials after the first are pruned early."""
    total = objective(trial)
    for step in range(4):
        trial.report(total * (step + 1) / 4, step)
        if trial.number % 2 and step == 0:
            raise optuna.TrialPruned
    return total


def test_a_pruned_trial_is_neither_a_centre_nor_the_best():
    study = made()
    study.optimize(summed, n_trials=14)
    rows = explain(study)
    assert min(trial.value for trial in study.trials) < study.best_value  # an early sum is the smallest of all values
    centres = {row["centre"] for row in rows if row["source"] == "acquisition"}
    assert centres
    assert all(study.trials[number].state == TrialState.COMPLETE for number in centres)


def test_pruned_trials_are_the_same_to_a_worker_that_resumes(tmp_path):
    whole = made()
    whole.optimize(summed, n_trials=12)
    storage = f"sqlite:///{tmp_path}/s.db"
    for _ in range(2):
        made(storage=storage, name="s").optimize(summed, n_trials=6)
    assert params(optuna.load_study(study_name="s", storage=storage)) == params(whole)


def test_an_enqueued_trial_is_past_data():
    best = {"letter": "b", "size": 4, "layers": 1, "rate": 0.1, "share": 0.5}
    study = made()
    study.enqueue_trial(best)
    study.optimize(objective, n_trials=9)
    assert params(study)[0] == best
    rows = explain(study)
    assert rows[0]["source"] == "given"
    assert best not in params(study)[1:]


def test_a_queued_point_is_not_suggested_meanwhile():
    study = made(NINE)
    study.enqueue_trial({"x": 1, "y": "b"})
    waiting = study._storage.get_all_trials(study._study_id)[0]
    numbers = [study._storage.create_new_trial(study._study_id) for _ in range(8)]
    asked = [study.sampler.sample_relative(study, study._storage.get_trial(n), distributions_of(NINE)) for n in numbers]
    assert waiting.state == TrialState.WAITING
    assert {"x": 1, "y": "b"} not in asked
    assert len({tuple(one.values()) for one in asked}) == 8


def test_trials_of_other_samplers_are_past_data():
    study = made()
    study.sampler = optuna.samplers.RandomSampler(seed=1)
    study.optimize(objective, n_trials=8)
    study.sampler = CasmopolitanSampler(MIXED, seed=0, config=QUICK)
    study.optimize(objective, n_trials=1)
    assert explain(study)[-1]["source"] == "acquisition"


@pytest.mark.parametrize(("seed", "before"), [(7, 0), (0, 2)], ids=["settings", "numbers"])
def test_trials_added_from_another_study_are_past_data(seed, before):
    other, study = made(), made(seed=seed)
    other.optimize(objective, n_trials=8)
    study.optimize(objective, n_trials=before)
    study.add_trials(other.trials)
    study.optimize(objective, n_trials=1)
    assert [row["source"] for row in explain(study)[before:-1]] == ["given"] * 8
    state = study.sampler._cache(study)._history.state(study.get_trials(deepcopy=False), -1)
    assert [o.source for o in sorted(state.observations, key=lambda o: o.number)][before:-1] == ["given"] * 8
    assert explain(study)[-1]["source"] == "acquisition"


def test_an_exhaustion_that_came_with_another_studys_trials_is_not_this_studys():
    other, study = made(NINE), made(NINE, seed=1)
    other.optimize(lambda trial: suggest(trial, NINE)["x"], n_trials=10)
    study.add_trials(other.trials[-3:])
    study.optimize(lambda trial: suggest(trial, NINE)["x"], n_trials=1)
    assert exhausted(other)
    assert not exhausted(study)


def test_a_copied_study_goes_on_as_the_original(tmp_path):
    storages = [f"sqlite:///{tmp_path}/{name}.db" for name in "ab"]
    made(storage=storages[0], name="s").optimize(objective, n_trials=8)
    optuna.copy_study(from_study_name="s", from_storage=storages[0], to_storage=storages[1])
    studies = [made(storage=storage, name="s") for storage in storages]
    for study in studies:
        study.optimize(objective, n_trials=3)
    assert params(studies[0]) == params(studies[1])
    assert [row["source"] for row in explain(studies[0])] == [row["source"] for row in explain(studies[1])]


def test_without_a_search_space_the_parameters_in_common_are_modelled():
    study = made(None)
    study.optimize(objective, n_trials=8)
    assert [row["source"] for row in explain(study)[:2]] == ["given", "initial"]
    assert explain(study)[-1]["source"] == "acquisition"


def test_conditional_parameters_are_drawn_independently():
    def conditional(trial):
        kind = trial.suggest_categorical("kind", ["a", "b"])
        depth = trial.suggest_int("depth", 1, 9)
        return depth + (trial.suggest_float("p", 0, 1) if kind == "a" else 0.0)

    study, again = made(None), made(None)
    study.optimize(conditional, n_trials=12)
    again.optimize(conditional, n_trials=12)
    assert params(study) == params(again)
    assert {"p" in one for one in params(study)} == {True, False}


def test_a_parameter_too_fine_for_a_float_is_drawn_at_random():
    study = made(None)
    study.optimize(lambda t: t.suggest_int("n", 0, 2**60) / 2**60 + t.suggest_int("m", 0, 99), n_trials=3)
    assert explain(study)[-1]["source"] == "initial"
    assert len({one["n"] for one in params(study)}) == 3


def test_an_independent_sampler_of_the_users_draws_what_is_not_modelled():
    class Constant(optuna.samplers.RandomSampler):
        def sample_independent(self, study, trial, param_name, param_distribution):
            return 0.25

    study = made(None, independent_sampler=Constant())
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)
    assert params(study)[0] == {"x": 0.25}
    assert params(study)[1] != {"x": 0.25}


def test_a_constraint_forbids_combinations():
    def differ(configuration):
        return (configuration["x"] == 0) == (configuration["y"] == "a")

    study = made(NINE, constraint=[differ, cas.Forbid({"x": 0, "y": "a"})])
    asked = [study.ask(distributions_of(NINE)).params for _ in range(4)]
    assert {(one["x"], one["y"]) for one in asked} == {(1, "b"), (1, "c"), (2, "b"), (2, "c")}


def test_a_constraint_needs_a_search_space():
    with pytest.raises(cas.DataError, match="constraint= needs search_space="):
        CasmopolitanSampler(constraint=bool)


def test_a_constraint_cannot_be_checked_while_another_sampler_decides_a_part():
    study = made(NINE, constraint=bool)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        study.sampler = optuna.samplers.PartialFixedSampler({"x": 1}, study.sampler)
    with pytest.raises(cas.SpaceError, match="another sampler decides 'x'"):
        study.ask(distributions_of(NINE))


def test_ordinal_parameters_are_named_by_an_option():
    distributions = {"size": CategoricalDistribution(["s", "m", "l"]), "x": FloatDistribution(0, 1)}
    sampler = CasmopolitanSampler(distributions, ordinal=["size"])
    assert isinstance(sampler._declared.space["size"], cas.Ordinal)
    with pytest.raises(cas.SpaceError, match="'colour', which is not in the search space"):
        CasmopolitanSampler(distributions, ordinal=["colour"])
    with pytest.raises(cas.SpaceError, match=r"list of names, e\.g\. ordinal=\['size'\]"):
        CasmopolitanSampler(distributions, ordinal="size")


@pytest.mark.parametrize("ordinal", [3, None, [3], [["size"]], {"size": 1}.values()])
def test_what_is_no_list_of_names_is_refused_as_ordinal(ordinal):
    with pytest.raises(cas.SpaceError, match="it must be a list of names"):
        CasmopolitanSampler(ordinal=ordinal)


def test_variables_without_a_space_around_them_are_told_apart_from_distributions():
    with pytest.raises(cas.SpaceError, match=r"Integer is a variable.*use Space\({'name': Integer\(...\)}\)"):
        CasmopolitanSampler({"a": cas.Integer(0, 9)})


def test_ordinal_parameters_are_ordered_in_a_space_that_was_not_declared():
    study = made(None, ordinal=["size"])
    study.optimize(lambda t: t.suggest_categorical("size", [1, 2, 4]) + t.suggest_float("x", 0, 1), n_trials=2)
    (cache,) = study.sampler._caches[study._storage].values()
    assert isinstance(cache._history.translation.space["size"], cas.Ordinal)


def several(trial):
    """Two objectives and, in every other trial, a constraint."""
    configuration = suggest(trial, MIXED)
    if trial.number % 2:
        trial.set_constraint("weight", configuration["size"] - 6.0)
    return value_of(configuration), configuration["layers"] * configuration["size"]


def made_with(directions=("minimize", "maximize"), storage=None, **options):
    sampler = CasmopolitanSampler(MIXED, **({"seed": 0, "config": QUICK} | options))
    return optuna.create_study(
        directions=directions, sampler=sampler, storage=storage, study_name="s" if storage else None, load_if_exists=True
    )


@pytest.mark.parametrize("config", [QUICK, replace(cas.DEFAULT, n_initial=5)], ids=["quick", "default"])
def test_several_directions_are_the_objectives_of_the_bare_optimiser(config):
    study = made_with(config=config)
    bare = cas.Optimizer(MIXED, seed=0, config=config, objectives={"a": "minimize", "b": "maximize"}, limits={"c": "<= 0"})
    for _ in range(9):
        study.optimize(several, n_trials=1)
        trial, asked = study.trials[-1], bare.ask()
        assert trial.params == asked.configuration
        told = dict(zip("ab", trial.values, strict=True))
        bare.tell(asked, told | {"c": trial.constraints.get("weight", 0.0)})
    best = {trial.number for trial in study.best_trials}
    assert best == {trial.number for trial in bare.pareto_front}
    for row, trial in zip(explain(study), bare.trials, strict=True):
        assert (row["value"], row["values"]) == (None, study.trials[trial.number].values)
        if row["source"] == "acquisition":
            assert row["means"] == list(trial.explanation["means"].values())
            assert row["reason"] == trial.explanation["reason"]
            assert "hypervolume" in row["reason"]
            assert row["deviations"] == list(trial.explanation["deviations"].values())
            assert row["mean"] is None


def test_a_study_with_several_directions_continued_by_a_new_sampler_is_the_study_uninterrupted(tmp_path):
    whole = made_with()
    whole.optimize(several, n_trials=8)
    storage = f"sqlite:///{tmp_path}/s.db"
    for _ in range(2):
        made_with(storage=storage).optimize(several, n_trials=4)
    assert params(optuna.load_study(study_name="s", storage=storage)) == params(whole)


def test_four_directions_failures_and_fixed_parameters():
    study = made_with(["minimize"] * 4)
    study.enqueue_trial({"letter": "b"})

    def objectives(trial):
        value = objective(trial)
        if trial.number == 2:
            raise RuntimeError("broken")
        return value, -value, math.inf if trial.number == 3 else value**2, 1.0

    study.optimize(objectives, n_trials=7, catch=RuntimeError)
    study.enqueue_trial({"letter": "c"})
    study.optimize(objectives, n_trials=2)
    assert [study.trials[0].params["letter"], study.trials[7].params["letter"]] == ["b", "c"]
    assert explain(study)[-1]["source"] == "acquisition"
    state = study.sampler._cache(study)._history.state(study.get_trials(deepcopy=False), -1)
    assert (len(state.observations), len(state.failures)) == (7, 2)


@pytest.mark.parametrize("seed", [-1, 1.5, True, "0"])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(cas.DataError, match="seed is"):
        CasmopolitanSampler(seed=seed)


def test_an_open_seed_is_drawn_once_and_recorded(tmp_path):
    storage = f"sqlite:///{tmp_path}/s.db"
    first = made(storage=storage, name="s", seed=None)
    second = made(storage=storage, name="s", seed=None)
    first.optimize(objective, n_trials=1)
    second.optimize(objective, n_trials=1)
    recorded = first._storage.get_study_system_attrs(first._study_id)["casmo:settings"]["seed"]
    whole = made(seed=recorded)
    whole.optimize(objective, n_trials=2)
    assert params(second) == params(whole)


def test_a_worker_with_other_settings_is_warned_and_uses_the_recorded_ones(tmp_path):
    storage = f"sqlite:///{tmp_path}/s.db"
    made(storage=storage, name="s").optimize(objective, n_trials=6)
    other = made(storage=storage, name="s", seed=7, config=replace(QUICK, ard=False), noisy=True)
    with pytest.warns(
        SettingsWarning, match=r"seed=7 \(recorded: 0\), noisy=True .*, ard=False \(recorded: 'continuous'\)"
    ) as caught:
        other.optimize(objective, n_trials=2)
    assert len(caught) == 1
    whole = made()
    whole.optimize(objective, n_trials=8)
    assert params(other) == params(whole)


def test_a_pickled_sampler_goes_on():
    study, whole = made(), made()
    whole.optimize(objective, n_trials=8)
    study.optimize(objective, n_trials=4)
    study.sampler = pickle.loads(pickle.dumps(study.sampler))
    study.optimize(objective, n_trials=4)
    assert params(study) == params(whole)


def test_one_sampler_serves_two_studies():
    sampler = CasmopolitanSampler(MIXED, seed=0, config=QUICK)
    studies = [optuna.create_study(sampler=sampler) for _ in range(2)]
    for _ in range(8):
        for study in studies:
            study.optimize(objective, n_trials=1)
    assert params(studies[0]) == params(studies[1])


def test_a_trial_tried_again_goes_on_with_its_suggestion():
    study = made()
    study.optimize(objective, n_trials=6)
    first = study._storage.get_trial(study._storage.create_new_trial(study._study_id))
    suggested = study.sampler.sample_relative(study, first, distributions_of(MIXED))
    study._storage.set_trial_state_values(first._trial_id, TrialState.FAIL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        again = optuna.storages.RetryHeartbeatStaleTrialCallback(max_retry=1)
        again(study, study.trials[-1])
    study.optimize(objective, n_trials=1)
    assert params(study)[-1] == suggested
    assert explain(study)[-1]["source"] == "acquisition"


def test_choices_that_are_no_words_are_searched_all_the_same():
    odd = (math.nan, 1, True, "a")
    study = made({"odd": CategoricalDistribution(odd), "n": IntDistribution(0, 3)}, constraint=lambda c: c["odd"] != "a")
    seen = [study.ask(study.sampler._declared.distributions).params["odd"] for _ in range(8)]
    assert {str(one) for one in seen} == {"nan", "1"}


def test_trials_with_a_choice_of_nan_are_known_again_from_a_database(tmp_path):
    storage = f"sqlite:///{tmp_path}/s.db"
    choices = {"odd": CategoricalDistribution([math.nan, "a", "b"]), "n": IntDistribution(0, 3)}
    for _ in range(12):
        study = made(choices, storage=storage, name="s", config=cas.DEFAULT)
        study.tell(study.ask(choices), 1.0)
    assert len({(str(one["odd"]), one["n"]) for one in params(study)}) == 12
    assert explain(study)[-1]["source"] != "initial"


def test_the_record_of_a_trial_survives_a_change_of_the_space():
    study = made(None)
    study.optimize(lambda t: t.suggest_float("x", 0, 1) + t.suggest_int("n", 0, 9), n_trials=8)
    study.optimize(lambda t: t.suggest_float("x", 0, 1), n_trials=3)
    assert [set(one) for one in params(study)[-2:]] == [{"x"}, {"x"}]
    assert explain(study)[-1]["source"] in ("acquisition", "fallback")  # a model of the eleven trials, no new design


def test_a_result_that_the_constraint_forbids_is_no_centre():
    space = cas.Space({"k": cas.Categorical(["a", "b", "c"]), "x": cas.Real(0.0, 1.0)}, cas.Forbid({"k": "a"}))
    study = optuna.create_study(sampler=CasmopolitanSampler(space, seed=0))
    study.enqueue_trial({"k": "a", "x": 0.1})
    study.optimize(lambda t: t.suggest_float("x", 0, 1) + 5 * (t.suggest_categorical("k", ["a", "b", "c"]) != "a"), n_trials=16)
    assert all(row["centre"] != 0 for row in explain(study))
    assert {trial.params["k"] for trial in study.trials[1:]} == {"b", "c"}


@pytest.mark.parametrize(("name", "value"), [("config", "x"), ("independent_sampler", optuna.samplers.RandomSampler)])
def test_a_wrong_argument_is_named_when_the_sampler_is_made(name, value):
    with pytest.raises(cas.DataError, match=f"{name} is "):
        CasmopolitanSampler(**{name: value})


def test_a_parameter_that_the_declared_space_has_not_or_has_otherwise_is_warned_of(caplog):
    study = optuna.create_study(
        sampler=CasmopolitanSampler(cas.Space({"a": cas.Categorical(["x", "y"]), "b": cas.Real(0, 1)}), seed=0)
    )
    with caplog.at_level("WARNING", logger="optuna.casmopolitan"):
        study.optimize(lambda t: t.suggest_float("q", 0, 1) + t.suggest_float("b", 0, 2), n_trials=4)
    texts = [record.getMessage() for record in caplog.records]
    assert sum("parameter 'q' is not in the search space" in text for text in texts) == 1
    assert sum("parameter 'b' has the distribution FloatDistribution(high=1.0" in text for text in texts) == 1


@pytest.mark.parametrize("declared", [True, False])
def test_a_suggestion_reads_all_trials_at_most_twice(declared, tmp_path, monkeypatch):
    study = open_study("s", f"sqlite:///{tmp_path}/s.db", sampler=CasmopolitanSampler(MIXED if declared else None, seed=0))
    study.optimize(objective, n_trials=3)
    reads, plain = [], type(study._storage).get_all_trials

    def counted(self, *args, **options):
        reads.append(options)
        return plain(self, *args, **options)

    monkeypatch.setattr(type(study._storage), "get_all_trials", counted)
    study.optimize(objective, n_trials=4)
    assert len(reads) <= 2 * 4  # Optuna's, for waiting trials, and the one that verifies the claim


def test_a_snapshot_holds_the_trials_as_the_sampler_last_read_them():
    study = made()
    assert study.sampler.snapshot(study) == []
    study.optimize(objective, n_trials=2)
    trial = study.ask(distributions_of(MIXED))
    snapshot = study.sampler.snapshot(study)
    assert [one.number for one in snapshot] == [0, 1, 2]
    assert [one.state for one in snapshot] == [TrialState.COMPLETE, TrialState.COMPLETE, TrialState.RUNNING]
    assert records.read(snapshot[-1].system_attrs) == records.read(study.trials[-1].system_attrs) is not None
    study.tell(trial, 1.0)
    assert study.sampler.snapshot(study)[2].state == TrialState.RUNNING


def test_a_snapshot_is_fresh_after_every_ask_although_nothing_varies():
    study = made(cas.Space({"a": cas.Categorical(["x"])}))
    for number in range(3):
        study.ask()
        assert [one.number for one in study.sampler.snapshot(study)] == list(range(number + 1))


def test_a_trial_suggested_after_its_ask_sees_the_results_told_since():
    studies = {}
    for late in (True, False):
        studies[late] = study = made()
        study.optimize(objective, n_trials=8)
        first = study.ask(distributions_of(MIXED))
        second = study.ask() if late else None
        study.tell(first, -100.0)
        suggest(second or study.ask(), MIXED)
    assert params(studies[True]) == params(studies[False])


TWO = cas.Space({"x": cas.Categorical([0, 1]), "y": cas.Categorical(["a", "b"])})


def test_pending_trials_of_a_changed_space_are_never_suggested_again(tmp_path):
    url = f"sqlite:///{tmp_path}/s.db"
    before = open_study("s", url, sampler=CasmopolitanSampler(TWO, seed=0), heartbeat=None)
    pending = [before.ask(distributions_of(TWO)).params for _ in range(3)]
    after = open_study("s", url, sampler=CasmopolitanSampler(NINE, seed=0), heartbeat=None)
    asked = [after.ask(distributions_of(NINE)).params for _ in range(6)]
    assert len({tuple(one.values()) for one in pending + asked}) == 9
    assert not exhausted(after)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        after.ask(distributions_of(NINE))
    assert exhausted(after)


def test_results_of_a_changed_space_are_given_data_where_they_fit_and_ignored_elsewhere(tmp_path):
    url = f"sqlite:///{tmp_path}/s.db"
    before = open_study("s", url, sampler=CasmopolitanSampler(NINE, seed=0), heartbeat=None)
    for value in range(9):
        before.tell(before.ask(distributions_of(NINE)), float(value))
    after = open_study("s", url, sampler=CasmopolitanSampler(TWO, seed=0), heartbeat=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trial = after.ask(distributions_of(TWO))
    assert trial.number == 9
    state = after.sampler._cache(after)._history.state(after.get_trials(deepcopy=False)[:9], -1)
    fitting = [one.number for one in after.trials[:9] if one.params["x"] in (0, 1) and one.params["y"] in ("a", "b")]
    assert [(o.number, o.source) for o in state.observations] == [(number, "given") for number in fitting]


@pytest.mark.parametrize("of_a_file", [True, False])
def test_a_variable_removed_from_a_study_file_takes_its_trials_out_of_the_model(of_a_file):
    study = made(NINE)
    for value in range(3):
        trial = study.ask(distributions_of(NINE))
        if of_a_file:
            trial.set_user_attr(records.NOTE, {"by": "run"})
        study.tell(trial, float(value))
    study.sampler = CasmopolitanSampler(cas.Space({"x": NINE["x"]}), seed=0, config=QUICK)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study.ask({"x": distributions_of(NINE)["x"]})
        state = study.sampler._cache(study)._history.state(study.get_trials(deepcopy=False), -1)
        assert len(state.observations) == (0 if of_a_file else 3)
        for _ in range(3):
            study.ask({"x": distributions_of(NINE)["x"]})
    assert exhausted(study) is of_a_file


def test_only_listed_candidates_are_suggested_in_a_study_until_all_are(tmp_path):
    rows = [{"a": "xyz"[i % 3], "b": i * 0.37} for i in range(12)]
    space = cas.Space.of(rows)
    for part in range(3):  # a study that is opened again each time
        study = open_study("listed", f"sqlite:///{tmp_path}/listed.db", sampler=CasmopolitanSampler(space, seed=0))
        study.optimize(lambda trial: suggest(trial, space)["b"], n_trials=4)
        assert len(study.trials) == 4 * (part + 1)
    tried = [trial.params for trial in study.trials]
    assert sorted(one["b"] for one in tried) == [row["b"] for row in rows]
    assert all(one in rows for one in tried)
    study.optimize(lambda trial: suggest(trial, space)["b"], n_trials=1)
    assert exhausted(study)


def test_new_choices_of_a_study_are_tried_soon_and_its_trials_are_kept(tmp_path):
    def space_of(*solvents):
        return cas.Space({"solvent": cas.Categorical(solvents), "x": cas.Real(0, 1), "y": cas.Categorical(["a", "b"])})

    def opened(space):
        sampler = CasmopolitanSampler(space, seed=0, config=replace(cas.DEFAULT, n_initial=4))
        return open_study("growing", f"sqlite:///{tmp_path}/growing.db", sampler=sampler)

    small, large = space_of("water", "ethanol"), space_of("water", "acetone", "ethanol", "DMF")
    opened(small).optimize(lambda trial: suggest(trial, small)["x"], n_trials=9)
    study = opened(large)
    study.optimize(lambda trial: suggest(trial, large)["x"] + len(trial.params["solvent"]), n_trials=8)
    assert {"acetone", "DMF"} <= {trial.params["solvent"] for trial in study.trials[9:]}
    assert [trial.number for trial in study.trials] == list(range(17))
    assert any(row["source"] == "global" for row in explain(study))


def test_a_study_with_earlier_studies_makes_the_suggestions_of_the_bare_optimiser(tmp_path):
    earlier = made(MIXED)
    earlier.optimize(objective, n_trials=8)
    opt = cas.Optimizer(MIXED, seed=0, config=QUICK, past={"A": earlier})
    study = made(MIXED, past={"A": earlier}, storage=f"sqlite:///{tmp_path}/s.db", name="s")
    for _reopened in range(2):
        for _ in range(2):
            trial, asked = opt.ask(), study.ask()
            assert suggest(asked, MIXED) == trial.configuration
            value = objective(optuna.trial.FixedTrial(trial.configuration))
            opt.tell(trial, value)
            study.tell(asked, value)
        study = made(MIXED, past={"A": earlier}, storage=f"sqlite:///{tmp_path}/s.db", name="s")
    with pytest.raises(cas.DataError, match="past= needs a Space"):
        CasmopolitanSampler(past={"A": earlier})


def test_earlier_studies_are_not_used_in_a_study_with_constraints(caplog):
    study = made(MIXED, past={"A": [(MIXED.sample(1, 0)[0], 1.0)]})
    study.add_trial(optuna.create_trial(value=1.0, constraints={"w": 1.0}))
    with caplog.at_level("WARNING", logger="optuna.casmopolitan"):
        study.optimize(objective, n_trials=1)
    assert sum("past is not used" in text for text in caplog.messages) == 1
