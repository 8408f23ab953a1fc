"""Small domains, data with a planted structure, and the dense covariance that the Gaussian process must agree with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import Kernel as SklearnKernel

from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.hyperparameters import Hyperparameters, Parameters, paper_parameters
from casmopolitan.core.gp.priors import freed_parameters
from casmopolitan.core.kernels.base import Data, Kernel
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Array, Axis, Points, stack

UNEVEN = np.array([0.0, 0.1, 0.15, 0.7, 1.0])
DOMAINS = {
    "categorical": Domain(np.array([2, 3, 4, 6, 1]), (None,) * 5, ()),
    "ordinal": Domain(np.array([5, 3, 5]), (UNEVEN, None, UNEVEN), ()),
    "continuous": Domain(np.empty(0, dtype=np.int64), (), (Axis(0.0, 1.0),) * 2),
    "mixed": Domain(np.array([2, 4, 5, 6]), (None, None, UNEVEN, None), (Axis(0.0, 1.0),) * 2),
}


def long_lengthscales(kernel: Kernel) -> Parameters:
    """Return the paper's parameters with a start at which points with different one-hot columns correlate."""
    parameters = paper_parameters(kernel)
    start = parameters.start.copy()
    start[:-2] = 1.4
    return replace(parameters, start=start)


MODELS = {
    "paper": ("categorical", True, 0.5, paper_parameters),
    "paper, shared lengthscales": ("categorical", False, 0.5, paper_parameters),
    "paper, learnt trade-off": ("categorical", True, "learnt", paper_parameters),
    "freed": ("heat", True, "weights", freed_parameters),
    "freed, by orders": ("heat", True, "orders", freed_parameters),
    "freed, learnt trade-off": ("heat", True, "learnt", freed_parameters),
    "one-hot": ("one-hot", True, 0.5, long_lengthscales),
}


@dataclass(frozen=True)
class Problem:
    """A model and noisy data for it."""

    domain: Domain
    kernel: Kernel
    parameters: Parameters
    theta: Array
    points: Points
    y: Array

    @property
    def hyper(self) -> Hyperparameters:
        return Hyperparameters.of(self.theta)

    @property
    def data(self) -> Data:
        return coded(self.domain, self.points)


def made(where: str, model: str, n: int = 18, seed: int = 0) -> Problem:
    family, ard, trade_off, parameters_of = MODELS[model]
    domain, rng = DOMAINS[where], np.random.default_rng(seed)
    kernel = kernel_for(domain, family, ard=ard, trade_off=trade_off)
    freed = parameters_of is freed_parameters
    parameters = parameters_of(kernel, domain.d_h, domain.d_x, noisy=True) if freed else parameters_of(kernel)
    theta = parameters.clipped(parameters.start * np.exp(rng.uniform(-0.5, 0.5, len(parameters))))
    points = domain.draw(n, rng)
    return Problem(domain, kernel, parameters, theta, points, rng.standard_normal(n))


@pytest.fixture(scope="session")
def problem() -> Callable[..., Problem]:
    """problem(domain, model, n, seed): random points and targets for one of the domains and models."""
    return made


@pytest.fixture(scope="session", params=[(where, model) for where in DOMAINS for model in MODELS], ids=" / ".join)
def any_problem(request: pytest.FixtureRequest) -> Problem:
    return made(*request.param)


@pytest.fixture(scope="session")
def dense() -> Callable[[Problem, Points], Array]:
    """The noise-free covariance over the data and then the candidates, coded together."""

    def covariance(problem: Problem, points: Points) -> Array:
        both = coded(problem.domain, stack([problem.points, points]))
        return problem.hyper.output_scale * problem.kernel.forward(problem.hyper.kernel, both)[0]

    return covariance


class Tabled(SklearnKernel):
    """scikit-learn's view of a covariance table: inputs are row numbers."""

    def __init__(self, table: Array) -> None:
        self.table = table

    def __call__(self, X: Array, Y: Array | None = None, eval_gradient: bool = False) -> Array:
        rows = X[:, 0].astype(int)
        return self.table[np.ix_(rows, rows if Y is None else Y[:, 0].astype(int))]

    def diag(self, X: Array) -> Array:
        return np.diagonal(self.table)[X[:, 0].astype(int)].copy()

    def is_stationary(self) -> bool:
        return False


@pytest.fixture(scope="session")
def tabled() -> type[Tabled]:
    return Tabled
