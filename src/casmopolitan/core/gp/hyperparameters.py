"""Hyperparameters of a Gaussian process: their values, their bounds, and the raw forms that optimisers work in.

θ = (the kernel's own, output scale, noise variance), all positive. The covariance of the targets is
output scale · K + noise · I.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from casmopolitan.core.kernels.base import Block, Kernel, Role
from casmopolitan.core.points import Array, Mask

LENGTHSCALE, OUTPUTSCALE, NOISE = (0.01, 0.5), (0.5, 5.0), (1e-5, 0.1)
"""App. C.3: the bounds of lengthscales, output scale and noise variance."""

FRACTION = (1e-3, 1 - 1e-3)
"""The bounds of hyperparameters between 0 and 1. At 0 or 1 a term of the kernel would vanish, and its θ have no effect."""


OUTPUT_SCALE = -2
"""The place of the output scale in θ."""


class Hyperparameters(NamedTuple):
    """θ split into its parts."""

    kernel: Array
    output_scale: float
    noise: float

    @classmethod
    def of(cls, theta: Array) -> Hyperparameters:
        """Split a flat θ into its parts."""
        return cls(theta[:-2], float(theta[-2]), float(theta[-1]))

    def flat(self) -> Array:
        """Return θ as one vector, in the order in which it is recorded."""
        return np.concatenate([self.kernel, [self.output_scale, self.noise]])


class LogPrior(Protocol):
    """A prior density of log θ."""

    def log_density(self, log_theta: Array) -> tuple[float, Array]:
        """Return the log density up to a constant, and its gradient by log θ (the whole vector)."""
        ...


@dataclass(frozen=True, eq=False)
class Parameters:
    """Bounds, start and priors of every hyperparameter; each field is one vector in the order of θ."""

    low: Array
    high: Array
    start: Array
    priors: tuple[LogPrior, ...] = ()

    def __len__(self) -> int:
        return len(self.start)

    def log_prior(self, theta: Array) -> tuple[float, Array]:
        """Return the log density of log θ under all priors, and its gradient by log θ."""
        log_theta = np.log(theta)
        value, gradient = 0.0, np.zeros_like(theta)
        for prior in self.priors:
            v, g = prior.log_density(log_theta)
            value += v
            gradient += g
        return value, gradient

    def clipped(self, theta: Array) -> Array:
        """Return θ moved inside its bounds."""
        return np.clip(theta, self.low, self.high)

    def free(self) -> Mask:
        """Return which hyperparameters are not fixed by equal bounds."""
        return self.high > self.low

    def to_logit(self, theta: Array) -> Array:
        """Return the raw form for unconstrained steps: the logit of the relative position of θ between its bounds."""
        span = np.where(self.free(), self.high - self.low, 1.0)
        relative = np.clip((theta - self.low) / span, 1e-6, 1 - 1e-6)
        raw: Array = np.log(relative / (1 - relative))
        return raw

    def from_logit(self, raw: Array) -> tuple[Array, Array]:
        """Return θ and dθ/d(raw)."""
        relative = 1 / (1 + np.exp(-raw))
        span = self.high - self.low
        return self.low + span * relative, span * relative * (1 - relative)

    def random(self, rng: np.random.Generator) -> Array:
        """Draw a start log-uniformly between the bounds."""
        theta: Array = np.exp(rng.uniform(np.log(self.low), np.log(self.high)))
        return theta


class Range(NamedTuple):
    """Bounds and start of one hyperparameter."""

    low: float
    high: float
    start: float


def assembled(
    kernel: Kernel, of_block: Callable[[Block], Range], output_scale: Range, noise: Range, priors: tuple[LogPrior, ...] = ()
) -> Parameters:
    """Return the parameters of a kernel, given the range of each of its blocks, and of output scale and noise."""
    ranges = [of_block(block) for block in kernel.blocks for _ in range(block.size)]
    low, high, start = np.array([*ranges, output_scale, noise]).T.copy()
    return Parameters(low, high, start, priors)


def paper_parameters(
    kernel: Kernel,
    lengthscale: tuple[float, float] = LENGTHSCALE,
    outputscale: tuple[float, float] = OUTPUTSCALE,
    noise: tuple[float, float] = NOISE,
) -> Parameters:
    """App. C.3: bounds without priors. Every start is the geometric mean of its bounds, except 0.005 for the noise."""

    def centred(bounds: tuple[float, float]) -> Range:
        return Range(*bounds, math.sqrt(bounds[0] * bounds[1]))

    def of_block(block: Block) -> Range:
        usual = FRACTION if block.role in (Role.TRADE_OFF, Role.SMOOTHNESS, Role.SHARE) else lengthscale
        return centred(block.bounds or usual)

    return assembled(kernel, of_block, centred(outputscale), Range(*noise, min(max(0.005, noise[0]), noise[1])))
