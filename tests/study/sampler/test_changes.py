import logging
from dataclasses import replace

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution

import casmopolitan as cas
from casmopolitan.study import CasmopolitanSampler, explain, open_study
from casmopolitan.study.sampler.changes import distribution_of, left_out
from casmopolitan.study.sampler.search_space import translation_of

QUICK = replace(cas.DEFAULT, n_initial=3, fit_steps=5, fit_starts=1)
WIDE, NARROW = FloatDistribution(1e-5, 1e-1, log=True), FloatDistribution(1e-4, 1e-2, log=True)
KIND = CategoricalDistribution(["a", "b"])


def trials(*found, kinds=""):
    """Numbered trials with these distributions of x, and kinds."""
    made = []
    for number, one in enumerate(found):
        params, distributions = {"x": 1e-3}, {"x": one}
        if kinds:
            params["kind"], distributions["kind"] = kinds[number], KIND
        made.append(optuna.create_trial(params=params, distributions=distributions, value=1.0))
        made[-1].number = number
    return made


def test_a_range_that_was_changed_is_the_latest():
    assert distribution_of("x", trials(WIDE, WIDE, NARROW)) == NARROW
    assert distribution_of("x", trials(WIDE, WIDE, NARROW)[::-1]) == NARROW  # the order of numbers counts
    assert distribution_of("x", trials(NARROW, *[WIDE] * 9, NARROW)) == NARROW  # and back again


def test_a_range_that_changes_back_and_forth_is_not_modelled():
    assert "differ from trial to trial" in distribution_of("x", trials(WIDE, NARROW, WIDE))
    assert "differ from trial to trial" in distribution_of("x", trials(*(FloatDistribution(0, k) for k in (1, 2, 3))))
    assert distribution_of("x", trials(WIDE, NARROW, *[WIDE] * 9)) == WIDE


def test_a_range_that_depends_on_a_choice_is_not_modelled():
    ranges = [WIDE, NARROW, WIDE, *[NARROW] * 12]
    assert "depend on 'kind'" in distribution_of("x", trials(*ranges, kinds="aba" + "b" * 12))
    assert distribution_of("x", trials(*ranges, kinds="abab" + "a" * 11)) == NARROW


def test_trials_that_do_not_fit_are_counted_with_the_way_to_keep_them():
    done = trials(WIDE, WIDE, NARROW)
    done[0].params["x"] = 0.1
    done[2] = optuna.create_trial(
        params={"x": 1e-3, "m": 0.9}, distributions={"x": NARROW, "m": FloatDistribution(0, 1)}, value=1.0
    )
    whole = translation_of({"x": NARROW, "m": FloatDistribution(0, 1)})
    ((text, level),) = left_out(done, whole, ["m"])
    assert text.startswith("parameter 'm' was added: 2 trials without it cannot be modelled; ")
    assert (text.endswith("CasmopolitanSampler(defaults={'m': ...})"), level) == (True, logging.WARNING)
    ((text, _),) = left_out(done, replace(whole, defaults={"m": 0.5}), [])
    assert text.startswith("1 trial outside the present ranges and choices cannot be modelled")
    ((text, _),) = left_out(done, replace(whole, defaults={"m": 5.0}), ["m"])
    assert "their default 5.0 is not one of its values" in text


def before(trial):
    return abs(trial.suggest_float("x", 0.0, 1.0) - 0.3) + trial.suggest_int("n", 1, 4)


def narrowed(trial):
    return abs(trial.suggest_float("x", 0.2, 0.5) - 0.3) + trial.suggest_int("n", 1, 4)


def extended(trial):
    return before(trial) + trial.suggest_float("m", 0.0, 1.0)


def changed_study(after, storage=None, stops=(), **options):
    """A study whose script is changed after eight trials; with other stops, sampler and study are made again there."""
    for first, last in zip((0, *stops), (*stops, 18), strict=True):
        sampler = CasmopolitanSampler(seed=0, config=QUICK, **options)
        study = optuna.create_study(study_name="s", storage=storage, sampler=sampler, load_if_exists=True)
        for number in range(first, last):
            study.optimize(before if number < 8 else after, n_trials=1)
    return study


@pytest.mark.parametrize(("after", "options"), [(narrowed, {}), (extended, {}), (extended, {"defaults": {"m": 0.5}})])
def test_a_changed_script_is_modelled_again_and_resumes_and_never_repeats_a_point(after, options, tmp_path):
    study = changed_study(after, **options)
    params = [trial.params for trial in study.trials]
    assert len({tuple(sorted(one.items())) for one in params}) == 18
    rows = explain(study)
    assert all(row["source"] != "given" for row in rows[1:])
    assert {row["source"] for row in rows[-4:]} <= {"acquisition", "global"}
    state = study.sampler._cache(study)._history.state(study.trials, -1)
    fit = [one for one in params if 0.2 <= one["x"] <= 0.5] if after is narrowed else [o for o in params if options or "m" in o]
    assert len(state.observations) == len(fit) > (8 if after is narrowed or options else 9)
    again = changed_study(after, f"sqlite:///{tmp_path}/s.db", stops=(5, 9, 13), **options)
    assert [trial.params for trial in again.trials] == params


def test_new_choices_of_a_script_are_modelled_in_a_study_that_accepts_them(tmp_path):
    def script(*choices):
        return lambda trial: (
            "abcde".index(trial.suggest_categorical("k", choices)) + trial.suggest_float("x", 1, 9, log=len(choices) > 3)
        )

    study = open_study("s", f"sqlite:///{tmp_path}/s.db", sampler=CasmopolitanSampler(seed=0, config=QUICK))
    study.optimize(script("a", "b", "c"), n_trials=6)
    study.optimize(script("b", "c", "d", "e"), n_trials=8)
    assert all(trial.params["k"] != "a" for trial in study.trials[6:])
    assert {"d", "e"} <= {trial.params["k"] for trial in study.trials[6:]}
    assert {row["source"] for row in explain(study)[8:]} <= {"acquisition", "global"}


def test_what_cannot_be_modelled_is_a_warning_and_what_is_new_is_not(caplog):
    def script(trial):
        kind = trial.suggest_categorical("kind", ["a", "b"])
        return trial.suggest_float("x", 0, 1) + trial.suggest_float("y", 0, 1 if kind == "a" else 2)

    study = optuna.create_study(sampler=CasmopolitanSampler(seed=0, config=QUICK))
    with caplog.at_level(logging.INFO, logger="optuna.casmopolitan"):
        study.optimize(script, n_trials=12)
        study.optimize(lambda trial: script(trial) + trial.suggest_float("m", 0, 1), n_trials=2)
    said = [(record.levelno, record.getMessage()) for record in caplog.records if record.name == "optuna.casmopolitan"]
    (warning,) = [text for level, text in said if level == logging.WARNING]
    assert warning.startswith("parameter 'y' is not modelled, it is drawn at random: its range or choices")
    assert (logging.INFO, "parameter 'm' is new or was changed; it is drawn at random until trials with it have ended") in said
