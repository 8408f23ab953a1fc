"""The Gaussian process's own figures, one JSON line each, in one process with one core: started by `benchmarks.gp`.

python -m benchmarks.gp_measure speed FOLDER       times; leaves the planted data of the BoTorch comparison in FOLDER
python -m benchmarks.gp_measure memory SPACE MODEL N
"""

from __future__ import annotations

import json
import platform
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy
from scipy.linalg.lapack import dpotrf, dpotri

from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.fit import fit_lbfgs
from casmopolitan.core.gp.hyperparameters import Hyperparameters, Parameters, paper_parameters
from casmopolitan.core.gp.likelihood import log_marginal_likelihood
from casmopolitan.core.gp.posterior import Breakdown, condition
from casmopolitan.core.gp.priors import freed_parameters
from casmopolitan.core.kernels.base import Kernel
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Array, Axis, Points

SPACES = {
    "50 binary + 3 real": Domain(np.full(50, 2), (None,) * 50, (Axis(0.0, 1.0),) * 3),
    "200 x 5 choices": Domain(np.full(200, 5), (None,) * 200, ()),
}
MODELS = ("paper", "freed")
SIZES, FITTED = (50, 100, 200, 400, 1000, 2000), (50, 100, 200, 400)
COMPARED = ("50 binary + 3 real", (50, 100, 200))
PATIENCE_S = 1.0


def model_of(name: str, domain: Domain) -> tuple[Kernel, Parameters]:
    """The paper's kernel within its bounds, or the freed one with its priors."""
    if name == "paper":
        kernel = kernel_for(domain, "categorical", ard=True, trade_off=0.5)
        return kernel, paper_parameters(kernel)
    kernel = kernel_for(domain, "heat", ard=True, trade_off="orders")
    return kernel, freed_parameters(kernel, domain.d_h, domain.d_x)


def planted(domain: Domain, n: int, seed: int = 0) -> tuple[Points, Array]:
    """Return data in which ten discrete and all real variables matter and two interact; noise is a tenth of the deviation."""
    rng = np.random.default_rng(seed)
    effects = rng.standard_normal((10, int(domain.levels.max())))
    points = domain.draw(n, rng)
    f = sum(effects[j][points.h[:, j]] for j in range(10)) + effects[0][points.h[:, 0]] * effects[1][points.h[:, 1]]
    f = f + np.sin(4.0 * points.x).sum(1)
    y = f + 0.1 * f.std() * rng.standard_normal(n)
    return points, (y - y.mean()) / y.std()


def seconds(*tasks: Callable[[], float], least: int = 5) -> list[float]:
    """Return the shortest time of each task; the tasks take turns, so that a busy moment affects all of them."""
    best, began, turns = [np.inf] * len(tasks), time.perf_counter(), 0
    while turns < least or time.perf_counter() - began < PATIENCE_S:
        best = [min(so_far, task()) for so_far, task in zip(best, tasks, strict=True)]
        turns += 1
    return best


def timed(task: Callable[[], object]) -> Callable[[], float]:
    """Return the task as a function that returns its time."""

    def run() -> float:
        start = time.perf_counter()
        task()
        return time.perf_counter() - start

    return run


def cholesky_and_inverse(A: Array) -> float:
    """Return the time of dpotrf and dpotri alone on a copy of A made in advance."""
    work = A.copy(order="F")
    start = time.perf_counter()
    factor, _ = dpotrf(work, lower=1, clean=0, overwrite_a=1)
    dpotri(factor, lower=1, overwrite_c=1)
    return time.perf_counter() - start


def tell(**record: object) -> None:
    print(json.dumps(record), flush=True)


def speed(folder: Path) -> None:
    tell(what="versions", python=platform.python_version(), numpy=np.__version__, scipy=scipy.__version__)
    for space, domain in SPACES.items():
        for n in SIZES:
            points, y = planted(domain, n)
            if (space, n) in [(COMPARED[0], size) for size in COMPARED[1]]:
                np.savez(folder / f"{n}.npz", h=points.h, x=points.x, y=y)
            measure(space, domain, points, y)


def measure(space: str, domain: Domain, points: Points, y: Array) -> None:
    """Yield the times of likelihood with gradient, fit and posterior of both models on one data set."""
    n, data, candidates = len(y), coded(domain, points), domain.draw(1000, np.random.default_rng(1))
    for model in MODELS:
        kernel, parameters = model_of(model, domain)
        theta, place = parameters.start, {"space": space, "model": model, "n": n}
        kernel_theta, output_scale, noise = Hyperparameters.of(theta)
        A = np.asfortranarray(output_scale * kernel.forward(kernel_theta, data)[0] + noise * np.eye(n))

        def likelihood(kernel: Kernel = kernel, theta: Array = theta) -> object:
            return log_marginal_likelihood(kernel, theta, data, y)

        spent, factored = seconds(timed(likelihood), lambda A=A: cholesky_and_inverse(A), least=10)
        tell(what="likelihood", **place, seconds=spent, cholesky_seconds=factored, ratio=spent / factored)
        posterior = condition(domain, kernel, theta, points, y)
        if isinstance(posterior, Breakdown):
            raise SystemExit(posterior.reason)
        (spent,) = seconds(timed(lambda posterior=posterior: posterior.moments(candidates)))
        tell(what="posterior", **place, seconds=spent, candidates=1000)
        if n in FITTED:
            fit = fit_lbfgs(kernel, parameters, data, y)
            (spent,) = seconds(timed(lambda k=kernel, p=parameters: fit_lbfgs(k, p, data, y)), least=3)
            tell(what="fit", **place, seconds=spent, evaluations=fit.evaluations)


def memory(space: str, model: str, n: int) -> None:
    """Return the peak memory of one likelihood with gradient, beyond the imports, in a process that does nothing else."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    domain = SPACES[space]
    points, y = planted(domain, n)
    kernel, parameters = model_of(model, domain)
    log_marginal_likelihood(kernel, parameters.start, coded(domain, points), y)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tell(what="memory", space=space, model=model, n=n, megabytes=(peak - before) / 1024, absolute_megabytes=peak / 1024)


if __name__ == "__main__":
    if sys.argv[1] == "speed":
        speed(Path(sys.argv[2]))
    else:
        memory(sys.argv[2], sys.argv[3], int(sys.argv[4]))
