"""Evaluate on a Dask cluster: here local processes, otherwise whatever the client is connected to.

Needs the extra 'dask': pip install 'casmopolitan[dask]'.

python examples/50_dask.py [evaluations]
"""

import sys
import time

from distributed import Client, LocalCluster

import casmopolitan as cas

space = cas.Space({f"switch {i}": cas.Categorical(["off", "on", "auto"]) for i in range(8)} | {"gain": cas.Real(0.0, 1.0)})


def cost(setting: dict) -> float:
    """Return the cost. Stands for a long simulation on a worker."""
    time.sleep(0.05)
    return sum(value == "off" for value in setting.values()) + (setting["gain"] - 0.3) ** 2


if __name__ == "__main__":
    evaluations = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    with LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None) as cluster, Client(cluster) as client:
        result = cas.minimize(cost, space, evaluations, seed=0, executor=client.get_executor(), parallel=4, progress=False)
    print(f"{result.evaluations} evaluations on 2 processes, best {result.best_value:.3f}")
