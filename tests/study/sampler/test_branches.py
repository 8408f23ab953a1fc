import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

import casmopolitan as cas
from casmopolitan.study import CasmopolitanSampler, explain, suggest
from casmopolitan.study.sampler.branches import Branches, has_few_values
from casmopolitan.study.sampler.cache import SamplerCache

QUICK = cas.Config(n_initial=4, fit_steps=5, fit_starts=1, search_steps=8, failure_tolerance=2)
ALL = {
    "model": CategoricalDistribution(["svm", "forest", "knn"]),
    "scale": CategoricalDistribution([True, False]),
    "kernel": CategoricalDistribution(["rbf", "poly"]),
    "C": FloatDistribution(0.1, 10.0, log=True),
    "degree": IntDistribution(2, 5),
    "trees": IntDistribution(10, 100),
    "k": IntDistribution(1, 9),
}


def trial(**params):
    found = {name: ALL[name] for name in params}
    return optuna.create_trial(params=params, distributions=found, value=1.0)


SEEN = [
    trial(model="svm", scale=True, C=1.0, kernel="rbf"),
    trial(model="forest", scale=False, trees=20),
    trial(model="svm", scale=False, C=2.0, kernel="poly", degree=3),
    trial(model="knn", scale=True, k=3),
    trial(model="forest", scale=True, trees=30),
]


def test_conditions_are_the_values_that_explain_which_trials_have_a_parameter():
    modelled, conditions, _ = Branches(SEEN, ALL).modelled
    assert set(modelled) == set(ALL)
    assert conditions == {
        "C": {"model": ("svm",)},
        "kernel": {"model": ("svm",)},
        "degree": {"kernel": ("poly",)},
        "trees": {"model": ("forest",)},
        "k": {"model": ("knn",)},
    }


def test_several_parents_are_named_if_one_does_not_suffice():
    both = [
        trial(model="svm", scale=True, C=1.0),
        trial(model="svm", scale=False),
        trial(model="forest", scale=True),
        trial(model="forest", scale=False),
    ]
    assert Branches(both, {n: ALL[n] for n in ("model", "scale", "C")}).modelled[1] == {
        "C": {"model": ("svm",), "scale": (True,)}
    }


def test_a_parameter_that_comes_and_goes_without_a_reason_is_not_modelled():
    odd = [trial(model="svm", C=1.0), trial(model="svm"), trial(model="forest")]
    modelled, conditions, _ = Branches(odd, {n: ALL[n] for n in ("model", "C")}).modelled
    assert set(modelled) == {"model"}
    assert conditions == {}


def numbered(*trials):
    """Trials with numbers in order."""
    for number, one in enumerate(trials):
        one.number = number
    return list(trials)


def modelled(trials, *names, **defaults):
    return Branches(trials, {name: ALL[name] for name in names}, defaults).modelled


def test_a_parameter_added_later_needs_to_be_explained_in_the_trials_since_only():
    before = [trial(model=model, scale=scale) for model in ("svm", "forest") for scale in (True, False)]
    since = [trial(model="svm", scale=True, k=3), trial(model="forest", scale=True, k=3), trial(model="svm", scale=False, k=1)]
    assert modelled(numbered(*before, *since[:2]), "model", "scale", "k").added == {}  # too few to tell
    found = modelled(numbered(*before, *since), "model", "scale", "k")
    assert (found.conditions, found.added) == ({}, {"k": 4})
    in_a_branch = [trial(model="svm", C=1.0), trial(model="forest"), trial(model="svm", C=2.0)]
    found = modelled(numbered(trial(model="svm"), trial(model="forest"), *in_a_branch), "model", "C")
    assert (found.conditions, found.added) == ({"C": {"model": ("svm",)}}, {"C": 2})


def test_a_parameter_with_a_default_was_added_however_few_trials_have_it():
    trials = numbered(trial(model="svm"), trial(model="forest"), trial(model="knn", k=3))
    assert modelled(trials, "model", "k").conditions == {"k": {"model": ("knn",)}}  # a new branch is more likely
    found = modelled(trials, "model", "k", k=5)
    assert (found.conditions, found.added) == ({}, {"k": 2})


def test_the_default_of_a_parent_tells_which_children_existed_before():
    before = [trial(kernel="poly", degree=2), trial(kernel="poly", degree=3)]
    for one in before:
        del one.params["kernel"], one.distributions["kernel"]
    since = [trial(kernel="rbf"), trial(kernel="poly", degree=4), trial(kernel="rbf")]
    found = modelled(numbered(*before, *since), "kernel", "degree", kernel="poly")
    assert (found.conditions, found.added) == ({"degree": {"kernel": ("poly",)}}, {"kernel": 2})


def test_a_parameter_is_modelled_once_each_of_the_latest_trials_has_it():
    mixed = [trial(model="svm", k=1), trial(model="svm"), trial(model="forest", k=2), trial(model="forest")]
    since = [trial(model=("svm", "forest")[i % 2], k=3) for i in range(10)]
    assert set(modelled(numbered(*mixed, *since[:9]), "model", "k").distributions) == {"model"}
    assert set(modelled(numbered(*mixed, *since), "model", "k").distributions) == {"model", "k"}


def test_a_choice_that_is_gone_is_no_condition():
    found = Branches(numbered(*SEEN), {**ALL, "model": CategoricalDistribution(["forest", "knn"])}).modelled
    assert "C" not in found.distributions
    assert found.conditions["trees"] == {"model": ("forest",)}


def test_parents_have_few_values():
    assert has_few_values(ALL["model"])
    assert has_few_values(IntDistribution(1, 20))
    assert not has_few_values(IntDistribution(1, 21))
    assert not has_few_values(ALL["C"])


def script(trial):
    if trial.suggest_categorical("model", ["svm", "forest"]) == "svm":
        poly = trial.suggest_categorical("kernel", ["rbf", "poly"]) == "poly"
        return abs(trial.suggest_float("C", 0.0, 1.0) - 0.3) + (trial.suggest_int("degree", 2, 5) / 10 if poly else 0.5)
    return 1.0 + trial.suggest_int("trees", 10, 100) / 100


def run(storage=None, n=16, name="s", load=False, n_jobs=1):
    sampler = CasmopolitanSampler(seed=0, config=QUICK)
    study = optuna.create_study(study_name=name, storage=storage, sampler=sampler, load_if_exists=load)
    study.optimize(script, n_trials=n, n_jobs=n_jobs)
    return study


def test_parameters_inside_branches_are_suggested_by_the_model():
    study = run()
    rows = explain(study)
    assert {row["source"] for row in rows[8:]} <= {"acquisition", "global", "restart", "initial", "fallback"}
    translation = CasmopolitanSampler(seed=0, config=QUICK)
    found, conditions, _ = SamplerCache().search_space(study.trials)
    assert set(found) == {"model", "kernel", "C", "degree", "trees"}
    assert conditions["degree"] == {"kernel": ("poly",)}
    assert translation.infer_relative_search_space(study, study.ask()._cached_frozen_trial) == found
    params = [tuple(sorted(t.params.items())) for t in study.trials if t.state == optuna.trial.TrialState.COMPLETE]
    assert len(set(params)) == len(params)


def test_a_study_with_branches_continues_as_if_it_had_not_stopped(tmp_path):
    whole = run(n=14)
    storage = f"sqlite:///{tmp_path}/study.db"
    run(storage, n=6)
    run(storage, n=8, load=True)
    again = optuna.load_study(study_name="s", storage=storage)
    assert [t.params for t in again.trials] == [t.params for t in whole.trials]


def test_threads_share_a_study_with_branches():
    study = run(n=12, n_jobs=3)
    assert len(study.trials) == 12
    assert all(t.state == optuna.trial.TrialState.COMPLETE for t in study.trials)


def test_a_declared_space_with_conditions_is_suggested_and_replayed():
    space = cas.Space(
        {
            "C": cas.Real(0.0, 1.0, when={"model": "svm"}),
            "model": cas.Categorical(["svm", "forest"]),
            "trees": cas.Integer(10, 100, when={"model": "forest"}),
        }
    )
    study = optuna.create_study(sampler=CasmopolitanSampler(space, seed=0, config=QUICK))
    for _ in range(12):
        asked = study.ask()
        configuration = suggest(asked, space)
        space.validate(configuration)
        assert asked.params == configuration
        study.tell(asked, configuration.get("C", 1.5))
    assert all(row["source"] != "given" for row in explain(study))
    assert list(explain(study)[-1]["params"]) != []


def test_values_enqueued_for_a_child_bring_its_parents_with_them():
    study = run(n=10)
    study.enqueue_trial({"degree": 4})
    study.optimize(script, n_trials=1)
    assert study.trials[-1].params["kernel"] == "poly"
    assert study.trials[-1].params["degree"] == 4


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
@pytest.mark.parametrize("value", ["svm", "forest"])
def test_a_partly_fixed_study_still_suggests_the_rest(value):
    study = run(n=10)
    study.sampler = optuna.samplers.PartialFixedSampler({"model": value}, study.sampler)
    study.optimize(script, n_trials=2)
    assert [t.params["model"] for t in study.trials[-2:]] == [value] * 2
