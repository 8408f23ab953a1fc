"""Evaluations on a Dask cluster of processes, through the executor that Dask gives."""

import os
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("distributed")

SCRIPT = """
    import os
    from distributed import Client, LocalCluster
    import casmopolitan as cas

    space = cas.Space({f"c{i}": cas.Categorical(["a", "b", "c"]) for i in range(5)})

    def objective(configuration):
        import time
        time.sleep(0.02)
        if configuration["c0"] == "c" and configuration["c1"] == "c":
            raise RuntimeError("no such combination")
        if os.getpid() == parent:
            raise SystemExit("evaluated in the calling process")
        return sum(value == "a" for value in configuration.values())

    if __name__ == "__main__":
        parent = os.getpid()
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
            result = cas.minimize(objective, space, 30, seed=0, executor=client.get_executor(), parallel=4, progress=False)
        points = {tuple(trial.configuration.values()) for trial in result.trials}
        print(result.evaluations, len(points), result.best_value, sorted({trial.status for trial in result.trials}))
"""


def test_a_run_on_a_cluster_of_processes(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    ran = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=250, env=environment)
    assert ran.returncode == 0, ran.stderr
    evaluations, points, best, states = ran.stdout.split(maxsplit=3)
    assert evaluations == points == "30"
    assert float(best) <= 1.0
    assert states.strip() in ("['complete', 'failed']", "['complete']")
