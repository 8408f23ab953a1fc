import json

import optuna
import pytest

import casmopolitan as cas
from casmopolitan.past import read_past
from casmopolitan.study import distributions_of

SPACE = cas.Space({"a": cas.Categorical(list("wxyz")), "b": cas.Categorical(list("wxyz")), "c": cas.Ordinal([1, 2, 3, 4])})


def value(configuration, shift=0.0):
    """A sum with one interaction; smallest at a = b = "z", c = 4."""
    a, b = "wxyz".index(configuration["a"]), "wxyz".index(configuration["b"])
    return shift - a - b - (a == b) - 0.5 * configuration["c"]


def earlier(n=30, seed=0, shift=0.0, scale=1.0):
    return [(c, scale * value(c, shift)) for c in SPACE.sample(n, seed)]


def best_of(optimizer, n):
    return min(optimizer.tell(trial, value(trial.configuration)).value for trial in (optimizer.ask() for _ in range(n)))


def test_a_related_study_finds_the_optimum_in_a_few_trials():
    assert best_of(cas.Optimizer(SPACE, seed=0, past={"flask A": earlier()}), 4) == value({"a": "z", "b": "z", "c": 4})
    assert best_of(cas.Optimizer(SPACE, seed=0), 4) > value({"a": "z", "b": "z", "c": 4})


@pytest.mark.parametrize(("shift", "scale"), [(0.0, 1.0), (1e6, 1.0), (0.0, 1e6), (-300.0, 1e-3)])
def test_values_of_another_level_or_range_help_too(shift, scale):
    opt = cas.Optimizer(SPACE, seed=0, past={"flask A": earlier(40, shift=shift, scale=scale)})
    assert best_of(opt, 6) == value({"a": "z", "b": "z", "c": 4})


def test_an_unrelated_study_leaves_the_initial_design_to_the_present_task():
    def other(c, names):  # a sum as well, but of other effects
        return float(names.index(c["a"]) - 2 * names.index(c["b"]) + (c["c"] - 2) ** 2)

    past = {names: [(c, other(c, names)) for c in SPACE.sample(50, k)] for k, names in enumerate(["xzwy", "ywzx"])}
    opt = cas.Optimizer(SPACE, seed=0, past=past)
    for _ in range(14):
        trial = opt.ask()
        opt.tell(trial, value(trial.configuration))
    sources = [trial.explanation["source"] for trial in opt.trials]
    assert "initial" in sources[:8]
    assert set(sources[10:]) <= {"acquisition", "global"}


def test_a_configuration_of_an_earlier_study_may_be_suggested_again():
    only = [(c, value(c)) for c in SPACE.decode(SPACE.domain.every_point())]
    opt = cas.Optimizer(SPACE, seed=0, past={"flask A": only})
    assert opt.ask().configuration == {"a": "z", "b": "z", "c": 4}
    assert opt.trials[0].number == 0
    with pytest.raises(cas.DataError, match="no trial has been completed"):
        _ = opt.best_trial


def test_a_replay_equals_the_live_run_and_a_saved_optimiser_keeps_its_past():
    opt = cas.Optimizer(SPACE, seed=3, past={"A": earlier(12), "B": earlier(12, seed=1)})
    for _ in range(4):
        trial = opt.ask()
        opt.tell(trial, value(trial.configuration))
    pending = opt.ask(2)
    again = cas.Optimizer.from_json(opt.to_json())
    assert [study.name for study in again.past] == ["A", "B"]
    assert again.past == opt.past
    assert again.pending == pending
    assert again.ask() == opt.ask()


def test_a_batch_has_different_configurations():
    opt = cas.Optimizer(SPACE, seed=0, past={"A": earlier()})
    assert len({json.dumps(trial.configuration) for trial in opt.ask(6)}) == 6


def test_trials_optimisers_and_results_are_read_alike():
    result = cas.minimize(value, SPACE, 8, seed=0)
    expected = tuple((trial.configuration, trial.value) for trial in result.trials)
    for given in (result, result.optimizer, result.trials, list(expected)):
        assert read_past(SPACE, {"A": given})[0].trials == expected


def test_failed_trials_are_skipped_and_misfits_are_reported_by_study_and_trial():
    rows = [*earlier(3), ({"a": "w", "b": "w", "c": 1}, cas.FAILED), ({"a": "old", "b": "w", "c": 1}, 2.0)]
    (study,) = cas.Optimizer(SPACE, past={"flask A": rows}).past
    assert len(study.trials) == 3
    (text,) = study.left_out
    assert text.startswith("past study 'flask A', trial 4: Categorical 'a' got 'old'")


@pytest.mark.parametrize(
    ("past", "words"),
    [
        ([1], "past is [1]; give a dict"),
        ({"A": 5}, "past study 'A' is 5; give a list of trials"),
        ({"A": [3]}, "past study 'A', trial 0: got 3"),
        ({"A": [({"a": "w", "b": "w", "c": 1}, "high")]}, "past study 'A', trial 0: a value must be a number"),
        ({"A": [({"a": "?"}, 1.0)]}, "past study 'A' has no completed trial that fits the space: past study 'A', trial 0"),
        ({"A": 5, "B": 6}, "past study 'B' is 6"),
        ({"A": 5, "B": [({"a": "?"}, 1.0)]}, "past study 'B' has no completed trial that fits the space"),
    ],
)
def test_a_past_that_cannot_be_read_is_an_error(past, words):
    with pytest.raises(cas.DataError) as error:
        cas.Optimizer(SPACE, past=past)
    assert words in str(error.value)


def test_limits_and_several_objectives_have_no_past():
    with pytest.raises(cas.DataError, match="past needs a single objective without limits"):
        cas.Optimizer(SPACE, past={"A": earlier()}, limits={"cost": "<= 1"})


def test_minimize_and_maximize_take_earlier_studies():
    low = cas.minimize(value, SPACE, 4, seed=0, past={"A": earlier()})
    high = cas.maximize(lambda c: -value(c), SPACE, 4, seed=0, past={"A": [(c, -v) for c, v in earlier()]})
    assert low.best_value == -high.best_value == value({"a": "z", "b": "z", "c": 4})
    with pytest.raises(cas.ConfigError, match="leave past out"):
        cas.minimize(value, SPACE, 2, optimizer=low.optimizer, past={"A": earlier()})


def test_continuous_variables_learn_from_earlier_studies_too():
    space = cas.Space({"a": cas.Categorical(list("wxyz")), "x": cas.Real(0, 1)})

    def function(c):
        return (c["x"] - 0.3) ** 2 + "zyxw".index(c["a"])

    opt = cas.Optimizer(space, seed=0, past={"A": [(c, function(c)) for c in space.sample(30, 0)]})
    values = [opt.tell(trial, function(trial.configuration)).value for trial in (opt.ask() for _ in range(4))]
    assert min(values) < 0.01


def test_the_paper_takes_earlier_studies():
    opt = cas.Optimizer(SPACE, seed=0, config=cas.PAPER, past={"A": earlier()})
    trial = opt.ask()
    assert opt.tell(trial, value(trial.configuration)).status == "complete"


def test_the_complete_trials_of_an_optuna_study_are_read():
    study = optuna.create_study()
    for k, configuration in enumerate(SPACE.sample(2, 0)):
        study.add_trial(optuna.create_trial(params=configuration, distributions=distributions_of(SPACE), value=float(k)))
    study.add_trial(optuna.create_trial(state=optuna.trial.TrialState.FAIL))
    assert read_past(SPACE, {"A": study})[0].trials == tuple((t.params, t.value) for t in study.trials[:2])
    several = optuna.create_study(directions=["minimize", "minimize"])
    several.add_trial(optuna.create_trial(values=[1.0, 2.0]))
    with pytest.raises(cas.DataError, match="trial 0: has 2 values; past needs studies with one objective"):
        read_past(SPACE, {"A": several})


def test_a_study_that_was_read_keeps_what_was_left_out():
    (study,) = read_past(SPACE, {"A": [*earlier(2), ({"a": "old"}, 1.0)]})
    assert read_past(SPACE, {"B": study})[0].left_out == study.left_out != ()
    assert str(study) == "A: 2 trials (1 left out)"
