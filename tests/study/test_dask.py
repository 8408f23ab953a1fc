"""Evaluations on a Dask cluster of processes, through the executor that Dask gives."""

import itertools
import os
import subprocess
import sys
import textwrap

import pytest

import casmopolitan as cas

distributed = pytest.importorskip("distributed")

SCRIPT = """
    import os, time
    import dask
    from distributed import Client, LocalCluster
    import casmopolitan as cas

    space = cas.Space({f"c{i}": cas.Categorical(["a", "b", "c"]) for i in range(5)})
    small = cas.Space({"k": cas.Categorical(["a", "b", "c"]), "n": cas.Integer(1, 9)})

    def objective(configuration):
        time.sleep(0.02)
        if configuration["c0"] == "c" and configuration["c1"] == "c":
            raise RuntimeError("no such combination")
        if os.getpid() == parent:
            raise SystemExit("evaluated in the calling process")
        return sum(value == "a" for value in configuration.values())

    def deadly(configuration):
        if configuration["k"] == "a":
            os._exit(1)
        return configuration["n"] + ord(configuration["k"]) / 100

    if __name__ == "__main__":
        parent = os.getpid()
        dask.config.set({"distributed.scheduler.allowed-failures": 0})
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
            result = cas.minimize(objective, space, 30, seed=0, executor=client.get_executor(), parallel=4, progress=False)
            first = [{"k": "b", "n": 2}, {"k": "a", "n": 1}]
            died = cas.minimize(deadly, small, 6, seed=0, initial=first, executor=client.get_executor(), parallel=2)
        points = {tuple(trial.configuration.values()) for trial in result.trials}
        print(result.evaluations, len(points), result.best_value, sorted({trial.status for trial in result.trials}))
        wrong = [trial.number for trial in died.trials if (trial.status == "failed") != (trial.configuration["k"] == "a")]
        print(died.stopped, died.evaluations, died.trials[1].status, wrong, died.errors[1])
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What two runs on one cluster print: a line each."""
    script = tmp_path_factory.mktemp("dask") / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    ran = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=250, env=environment)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


def test_a_run_on_a_cluster_of_processes(printed):
    evaluations, points, best, states = printed[0].split(maxsplit=3)
    assert evaluations == points == "30"
    assert float(best) <= 1.0
    assert states in ("['complete', 'failed']", "['complete']")


def test_a_trial_that_kills_its_worker_has_failed_and_the_run_goes_on(printed):
    assert printed[1].startswith("budget 6 failed [] its worker died: KilledWorker")


LOSING = """
    import os
    import dask
    from distributed import Client, LocalCluster
    import casmopolitan as cas
    import casmopolitan.run.workers

    small = cas.Space({"k": cas.Categorical(["a", "b", "c"]), "n": cas.Integer(1, 9)})

    def deadly(configuration):
        return os._exit(1) if configuration["k"] == "a" else configuration["n"]

    if __name__ == "__main__":
        dask.config.set({"distributed.deploy.lost-worker-timeout": "100ms"})  # a worker that died is given up for good
        casmopolitan.run.workers.GRACE = 2.0
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
            first = [{"k": "a", "n": 1}, {"k": "b", "n": 2}]
            result = cas.minimize(deadly, small, 2, seed=0, initial=first, executor=client.get_executor(), timeout=100)
        print(result.stopped, [trial.status for trial in result.trials])
"""


def test_a_run_goes_on_after_its_cluster_has_lost_all_workers(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(LOSING))
    ran = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    assert ran.stdout == "budget ['failed', 'complete']\n", ran.stderr


def noisy(configuration):
    return next(NOISE)


NOISE = itertools.count(1.0)


def test_a_repeated_configuration_is_evaluated_again():
    space = cas.Space({"k": cas.Categorical(["a", "b"])})
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        repeated = [{"k": "a"}] * 4
        result = cas.minimize(noisy, space, 4, seed=0, noisy=True, initial=repeated, executor=client.get_executor())
    assert [trial.configuration for trial in result.trials] == repeated
    assert len({trial.value for trial in result.trials}) == 4
