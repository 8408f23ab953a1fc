"""What every test has: one thread of linear algebra, hypothesis, this interpreter as `python`, migrations read once."""

import os
import sys
from functools import cache
from pathlib import Path

import pytest
from alembic.util import pyfiles
from hypothesis import settings

settings.register_profile("house", derandomize=True, deadline=None)
settings.load_profile("house")

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is imported: tests run side by side, and idle threads of BLAS spin
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


@pytest.fixture(scope="session", autouse=True)
def _migrations_read_once():
    """Alembic runs the modules with the migrations of Optuna's tables whenever a database is opened; they never change."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("alembic.util.load_python_file", cache(pyfiles.load_python_file))
        yield
