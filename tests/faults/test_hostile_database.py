"""A database written to by somebody else: nothing in it is executed, names are only names."""

import json
import pickle

import optuna
import pytest

import casmopolitan as cas
from casmopolitan.study import CasmopolitanSampler, distributions_of, explain, open_study

SPACE = cas.Space({"x": cas.Categorical(["a", "b", "c"]), "n": cas.Integer(1, 30)})


class Bomb:
    """Unpickling this creates a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (self.path, "w")


@pytest.mark.parametrize(
    "shape",
    ["{0}", '{{"space": "{0}", "suggestion": "{0}"}}', '{{"suggestion": {{"h": "{0}", "source": "{0}", "theta": ["{0}"]}}}}'],
)
def test_a_hostile_attribute_executes_nothing(url, name, tmp_path, shape):
    mark = tmp_path / "executed"
    payloads = [
        pickle.dumps(Bomb(str(mark))).hex(),
        f"__import__('pathlib').Path('{mark}').touch()",
        f"!!python/object/apply:os.system ['touch {mark}']",
        f"'; ATTACH DATABASE '{mark}' AS x; --",
    ]
    study = open_study(name, url, sampler=CasmopolitanSampler(SPACE, seed=0), heartbeat=None)
    for number, payload in enumerate(payloads):
        trial = study.ask(distributions_of(SPACE))
        text = shape.format(json.dumps(payload)[1:-1])
        study._storage.set_trial_system_attr(trial._trial_id, "casmo:suggestion:0", [99, 1, text])
        study._storage.set_trial_system_attr(trial._trial_id, "casmo:failed", payload)
        study._storage.set_trial_system_attr(trial._trial_id, "fixed_params", payload)
        study.tell(trial, float(number))
    study.ask(distributions_of(SPACE))
    assert len(explain(study)) == 5
    assert not mark.exists()


def test_hostile_settings_are_refused(url, name, tmp_path):
    mark = tmp_path / "executed"
    study = open_study(name, url, heartbeat=None)
    hostile = {"version": 1, "seed": f"__import__('os').system('touch {mark}')", "config": {}, "ordinal": []}
    study._storage.set_study_system_attr(study._study_id, "casmo:settings", hostile)
    with pytest.raises(cas.DataError, match="start a new study"):
        study.ask({"x": optuna.distributions.IntDistribution(0, 9)})
    assert not mark.exists()


NAMES = ["it's", 'say "x"', "100%s %(a)s %", "été ☕ 研究", "'; DROP TABLE studies; --", "x" * 512]


@pytest.mark.parametrize("odd", NAMES, ids=range(len(NAMES)))
def test_any_name_is_only_a_name(url, odd):
    study = open_study(odd, url, heartbeat=None)
    study.optimize(lambda trial: trial.suggest_int("n", 0, 9), n_trials=2)
    again = open_study(odd, url, heartbeat=None)
    assert again.study_name == odd
    assert len(again.trials) == 2


def test_a_name_of_600_characters_is_refused(url):
    with pytest.raises(cas.DataError, match="at most 512 characters"):
        open_study("x" * 600, url)
