"""A study file and its study, on a real file."""

import optuna
import pytest

from casmopolitan.study.file.load import load
from casmopolitan.study.trials.open import open_spec


@pytest.fixture(autouse=True)
def _quiet():
    """Optuna's own messages, but for errors, are not what is tested here."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)


FILE = """
name = "n"
budget = 7
seed = 1
[settings]
n_initial = 20
[variables.a]
type = "categorical"
choices = ["x", "y", "z"]
[variables.b]
type = "integer"
low = 1
high = 30
[objective]
command = ["echo", "1"]
stdin = "json"
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(FILE)
    return path


@pytest.fixture
def spec(file):
    return load(file)


@pytest.fixture
def opened(spec):
    study = open_spec(spec, create=True)
    yield study
    study.study._storage._backend.engine.dispose()
