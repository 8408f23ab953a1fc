"""Hyperparameters by maximum likelihood, or by maximum a posteriori if they have priors (App. C.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from casmopolitan.config import Config
from casmopolitan.core.gp.hyperparameters import Parameters
from casmopolitan.core.gp.likelihood import log_marginal_likelihood
from casmopolitan.core.gp.priors import loosened
from casmopolitan.core.kernels.base import Data, Kernel, Role
from casmopolitan.core.points import Array

WORST = 1e25
"""Loss reported to the minimiser if the covariance cannot be factorised: finite, but worse than any other."""

SECOND_START, LOOSE_STEPS, LOOSE_ROUGHNESS = 8, 30, 10.0
"""Every SECOND_START-th trial, the L-BFGS fit also starts from the optimum under a loose prior (at most LOOSE_STEPS steps, and
LOOSE_ROUGHNESS times less accurate), and the better fit is kept. Later fits start from it. A second start for every fit would
double its cost. Without second starts, one of 32 runs on Berkeley DB (18 variables) got stuck."""

ACCURACY, ACCURACY_IN_X = 1e-4, 1e-7
"""L-BFGS stops when a step improves the log posterior density by less than this share. Functions of x need more accurate
hyperparameters, since their best values improve over many orders of magnitude."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Fitted hyperparameters, the log posterior density reached (-inf if none was finite), and the number of evaluations."""

    theta: Array
    value: float
    evaluations: int


def log_posterior(
    kernel: Kernel, parameters: Parameters, theta: Array, data: Data, y: Array, phi: Array | None = None
) -> tuple[float, Array]:
    """Return log p(y | θ) + log p(log θ), and its gradient by log θ. `phi` is the shape of the mean at the data, if any."""
    likelihood, by_theta = log_marginal_likelihood(kernel, theta, data, y, phi)
    prior, by_log = parameters.log_prior(theta)
    return likelihood + prior, by_theta * theta + by_log


def fit_lbfgs(
    kernel: Kernel,
    parameters: Parameters,
    data: Data,
    y: Array,
    start: Array | None = None,
    steps: int = 100,
    phi: Array | None = None,
    rough: float = 1.0,
) -> Fit:
    """Fit by L-BFGS-B in log θ within the bounds, from `start` (None: the start of the parameters).

    It is `rough` times less accurate than usual.
    """
    log_low, log_high = np.log(parameters.low), np.log(parameters.high)
    accuracy = rough * (ACCURACY_IN_X if any(block.role is Role.LENGTHSCALE for block in kernel.blocks) else ACCURACY)

    def loss(log_theta: Array) -> tuple[float, Array]:
        value, gradient = log_posterior(kernel, parameters, np.exp(log_theta), data, y, phi)
        if not (math.isfinite(value) and np.isfinite(gradient).all()):
            return WORST, np.zeros_like(gradient)
        return -value, -gradient

    theta = parameters.clipped(parameters.start if start is None else start)
    found = minimize(
        loss,
        np.log(theta),
        jac=True,
        method="L-BFGS-B",
        bounds=list(zip(log_low, log_high, strict=True)),
        options={"maxiter": steps, "maxfun": 2 * steps, "ftol": accuracy, "gtol": 1e-3},
    )
    if found.fun >= WORST:
        return Fit(theta, -math.inf, found.nfev)
    return Fit(parameters.clipped(np.exp(found.x)), -float(found.fun), found.nfev)


def fit_adam(
    kernel: Kernel,
    parameters: Parameters,
    data: Data,
    y: Array,
    starts: list[Array],
    rate: float = 0.1,
    steps: int = 100,
    phi: Array | None = None,
) -> Fit:
    """App. C.3: fit by Adam with learning rate 0.1 for 100 steps from each start, on the logit of θ; keep the best."""
    best = Fit(parameters.clipped(starts[0]), -math.inf, 0)
    evaluations = 0
    for start in starts:
        raw = parameters.to_logit(parameters.clipped(start))
        first, second = np.zeros_like(raw), np.zeros_like(raw)
        for step in range(1, steps + 1):
            theta, slope = parameters.from_logit(raw)
            value, by_log = log_posterior(kernel, parameters, theta, data, y, phi)
            evaluations += 1
            if not (math.isfinite(value) and np.isfinite(by_log).all()):
                break
            if value > best.value:
                best = Fit(theta, value, evaluations)
            gradient = by_log / theta * slope
            first = 0.9 * first + 0.1 * gradient
            second = 0.999 * second + 0.001 * gradient**2
            raw = raw + rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return Fit(best.theta, best.value, evaluations)


def fit_hyperparameters(
    kernel: Kernel,
    parameters: Parameters,
    config: Config,
    data: Data,
    y: Array,
    phi: Array | None,
    start: Array | None,
    rng: np.random.Generator,
    two_starts: bool = False,
) -> Fit:
    """Fit with the configured optimiser, from `start` if it has the right length. `phi` is the shape of the mean, if any.

    With `two_starts`, L-BFGS also starts from the optimum under a loose prior of the rates, if they have one of their own each.
    """
    if start is None or len(start) != len(parameters):
        start = parameters.start
    if config.fit == "adam":
        starts = [start, *(parameters.random(rng) for _ in range(config.fit_starts - 1))]
        return fit_adam(kernel, parameters, data, y, starts, config.fit_rate, config.fit_steps, phi)
    fit = fit_lbfgs(kernel, parameters, data, y, start, config.fit_steps, phi)
    loose = loosened(parameters) if two_starts else None
    if loose is None:
        return fit
    free = fit_lbfgs(kernel, loose, data, y, None, LOOSE_STEPS, phi, LOOSE_ROUGHNESS)
    other = fit_lbfgs(kernel, parameters, data, y, free.theta, config.fit_steps, phi)
    return max(fit, other, key=lambda one: one.value)
