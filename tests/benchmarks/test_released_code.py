import sys
from types import SimpleNamespace

import numpy as np
import pytest

import casmopolitan as cas
from benchmarks.peers import released_code

STANDIN = """
from collections import Callable
from types import SimpleNamespace

import numpy as np

class Optimizer:
    def __init__(self, config, *given, **settings):
        self.config, self.given, self.settings, self.seen = config, given, settings, []
        self.X_init, self.casmopolitan = None, SimpleNamespace()

    def suggest(self, count):
        if self.X_init is None:
            self.X_init = np.zeros((3, 1))
        return np.array([[1.0] * len(self.config) + [0.25] * (len(self.given[2]) if self.given else 0)] * count)

    def observe(self, X, y):
        self.seen.append((X.tolist(), y.tolist()))

MixedOptimizer = Optimizer
"""
"""It has the two calls that the adapter makes; the released code is not needed for the tests."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "bo").mkdir()
    for name in ("optimizer", "optimizer_mixed"):
        (tmp_path / "bo" / f"{name}.py").write_text(STANDIN)
    monkeypatch.setenv(released_code.FOLDER, str(tmp_path))
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(manual_seed=lambda seed: None))
    yield tmp_path
    for name in ("bo", "bo.optimizer", "bo.optimizer_mixed"):
        sys.modules.pop(name, None)


def test_values_are_told_and_asked_in_its_own_numbers(folder):
    numbers = {"n": cas.Integer(2, 5), "x": cas.Real(-1.0, 1.0)}
    space = cas.Space({"rate": cas.Real(1e-4, 1.0, log=True), "kind": cas.Categorical(list("abc"))} | numbers)
    initial = [({"rate": 1e-2, "kind": "c", "n": 4, "x": 0.0}, 3.0)]
    method = released_code.start(space, initial, 0, "")
    inner = method._optimizer
    ((X, y),) = inner.seen
    np.testing.assert_allclose(X, [[2.0, 2.0, 0.5, 0.5]])
    assert y == [3.0]
    assert inner.config.tolist() == [3, 4]
    assert inner.given[2:] == ([2, 3], [0, 1])
    assert inner.X_init.shape == (0, 4)
    (configuration,) = method.ask(1)
    space.validate(configuration)
    assert configuration == {"rate": pytest.approx(1e-3), "kind": "b", "n": 3, "x": -0.5}


def test_the_radii_of_pest_are_those_of_its_command(folder):
    method = released_code.start(cas.problems.get("pest-25").space, [], 0, "")
    settings = method._optimizer.settings
    assert (settings["length_init_discrete"], settings["length_max_discrete"]) == (20, 25)
    assert settings["kernel_type"] == "transformed_overlap"


def test_other_problems_keep_its_default_radii(folder):
    space = cas.Space({f"v{k}": cas.Categorical(["a", "b"]) for k in range(40)})
    settings = released_code.start(space, [], 0, "")._optimizer.settings
    assert not {"length_init_discrete", "length_max_discrete"} & settings.keys()


def test_every_batch_has_the_size_that_is_asked_for(folder):
    method = released_code.start(cas.problems.get("pest-25").space, [], 0, "")
    for count in (1, 4):
        assert len(method.ask(count)) == count
        assert (method._optimizer.batch_size, method._optimizer.casmopolitan.batch_size) == (count, count)


def test_without_a_checkout_it_says_how_to_get_one(monkeypatch, tmp_path):
    space = cas.Space({"a": cas.Categorical(["a", "b"])})
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(manual_seed=lambda seed: None))
    for folder in ("", str(tmp_path)):
        monkeypatch.setenv(released_code.FOLDER, folder)
        with pytest.raises(SystemExit, match="git clone https://"):
            released_code.start(space, [], 0, "")


def test_a_space_without_choices_is_refused(folder):
    with pytest.raises(SystemExit, match="at least one categorical"):
        released_code.start(cas.Space({"x": cas.Real(0.0, 1.0)}), [], 0, "")
