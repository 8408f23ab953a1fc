import optuna
import pytest


@pytest.fixture(autouse=True)
def _quiet():
    """Optuna's own messages, but for errors, are not what is tested here."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)
