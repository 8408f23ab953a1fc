"""Priors of the hyperparameters for `priors='freed'`, which replaces the paper's bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.gp.hyperparameters import (
    FRACTION,
    OUTPUT_SCALE,
    LogPrior,
    Parameters,
    Range,
    assembled,
    paper_parameters,
)
from casmopolitan.core.kernels.base import TASK_BOUNDS, Block, Kernel, LogNormal, LogStudent, Role, dimension, placed
from casmopolitan.core.points import Array

CHOICES, NUMBERS = 0.5, 3.0
"""Default of `rate_level` without and with continuous variables."""

SPARSE = LogNormal(0.02, 3.65)
"""Prior of each rate, times d_h, if few variables are expected to matter: nearly all rates are negligible, and a rate that is a
thousand times larger lowers the log density by less than two."""

FREEDOM = 2.0
"""Degrees of freedom of the rates' prior. With so few, rates that differ from the others a lot cost little more than rates
that differ somewhat: most of them can be alike and small while a few are large."""

SPAN = 0.4
"""Prior standard deviation of log v, the range of a function of discrete variables (`SpanPrior`)."""

WEIGHT = LogNormal(1 / 3, 1.0, 1.0)
"""Prior of the weights of a sum of kernels: the three terms of a mixed kernel are equally likely to matter."""

SMOOTHNESS = LogNormal(0.3, 0.7)
"""Prior of the smoothness of functions of ordinal variables: more likely rough than smooth."""

SHARE = LogNormal(0.5, 1.5)
"""Prior of the share of the descriptions in the distance between choices."""

TASK = LogNormal(0.3, 1.5)
"""Prior of the rate of an earlier study: its values at the same points correlate with the present ones by about 0.7."""

EXACT, SMOOTH, NOISY = LogNormal(1e-5, 0.7), LogNormal(1e-3, 1.5), LogNormal(0.1, 1.5)
"""Priors of the noise variance. EXACT: functions of discrete variables only, which the kernel can represent exactly. SMOOTH:
functions of x too, which are never quite as smooth as the kernel assumes. NOISY: noisy objectives."""

LIMIT = LogNormal(1e-5, 1.5)
"""Prior of the noise variance of limits that depend on x and are not noisy. The best point often lies on the boundary of a
limit, where a small error of the model decides whether the limit is met."""

MIN_NOISE, MIN_LIMIT_NOISE = 1e-6, 1e-8
"""Lower bounds of the noise variance: in general, and with the prior LIMIT."""


@dataclass(frozen=True, eq=False)
class Prior:
    """log θ of a group ~ N(level, within²) each; the level they share ~ N(mean, between²) and is integrated out.

    A small `within` shrinks the group towards a shared value without fixing that value. The joint density is Gaussian with
    covariance within² I + between² 11ᵀ, whose inverse has a closed form.
    """

    where: slice
    mean: float
    within: float
    between: float = 0.0

    @classmethod
    def at(cls, where: slice, prior: LogNormal) -> Prior:
        """Return a log-normal prior of the entries `where` of θ."""
        return cls(where, math.log(prior.level), prior.within, prior.between)

    def log_density(self, log_theta: Array) -> tuple[float, Array]:
        """Return the log density up to a constant, and its gradient by log θ (the whole vector)."""
        r = log_theta[self.where] - self.mean
        shared = 0.0
        if self.between:
            shared = self.between**2 / (self.within**2 + len(r) * self.between**2) * float(r.sum())
        pull = (r - shared) / self.within**2
        gradient = np.zeros(len(log_theta))
        gradient[self.where] = -pull
        return -0.5 * float(r @ pull), gradient


@dataclass(frozen=True, eq=False)
class StudentPrior:
    """log θ_j of a group = m + within · t_ν each, with t_ν of Student's distribution; m ~ N(mean, between²) is maximised.

        log p(log θ) = max_m  -½ (m - mean)² / between²  -  ½ (ν + 1) Σ_j log( 1 + (log θ_j - m)² / (ν within²) )

    The group shrinks towards a shared level m, but not those of its members that the data set apart: the pull on a member
    weakens with its distance. m is at its maximum, so the gradient by log θ_j is that of the sum alone.
    """

    where: slice
    mean: float
    within: float
    between: float
    freedom: float

    def log_density(self, log_theta: Array) -> tuple[float, Array]:
        """Return the log density with the best m, up to a constant, and its gradient by log θ (the whole vector)."""
        r, scale = log_theta[self.where], self.freedom * self.within**2
        m = self.level(r)
        away = r - m
        squares = away * away
        scatter = float(np.log1p(squares / scale).sum())
        squares += scale
        gradient = np.zeros(len(log_theta))
        np.divide(away * -(self.freedom + 1.0), squares, out=gradient[self.where])
        return -0.5 * ((m - self.mean) / self.between) ** 2 - 0.5 * (self.freedom + 1.0) * scatter, gradient

    def loose(self) -> Prior:
        """Return a prior under which each member of the group is nearly free: where to look for another maximum."""
        return Prior(self.where, self.mean - math.log(3.0), 2.0, 2.0)

    def level(self, r: Array) -> float:
        """Return the m that maximises the density of log rates r, by Newton's steps from the best of three guesses."""
        power, tie, scale = self.freedom + 1.0, 1.0 / self.between**2, self.freedom * self.within**2
        guesses = np.array([np.sort(r)[len(r) // 2], np.add.reduce(r) / len(r), self.mean])
        away = r - guesses[:, None]
        losses = power * np.log1p(away * away / scale).sum(axis=1) + tie * (guesses - self.mean) ** 2
        m = float(guesses[losses.argmin()])
        for _ in range(NEWTON_STEPS):
            away = r - m
            weight = 1.0 / (away * away + scale)
            pull = weight * away
            total = power * float(np.add.reduce(weight)) + tie
            curvature = total - 2.0 * power * float(pull @ pull)
            # Where the density is not concave enough, the step is that of a reweighted mean, which always raises the density.
            slope = power * float(np.add.reduce(pull)) - tie * (m - self.mean)
            step = slope / (curvature if curvature > 0.5 * total else total)
            m += step
            if abs(step) < CLOSE:
                break
        return m


NEWTON_STEPS, CLOSE = 12, 1e-4
"""Maximum number of Newton's steps, and a step after which they end: the error is about its square."""


def prior_at(where: slice, prior: LogNormal | LogStudent) -> Prior | StudentPrior:
    """Return the prior of the entries `where` of θ."""
    if isinstance(prior, LogNormal):
        return Prior.at(where, prior)
    return StudentPrior(where, math.log(prior.level), prior.within, prior.between, prior.freedom)


@dataclass(frozen=True, eq=False)
class SpanPrior:
    """log v ~ N(0, within²),  v = s (1 - exp(-½ Σ_j w_j)):  the range of the function over the space, for any rates.

    With output scale s and rates w, v is half the mean squared difference between values at points that differ in half of the
    variables. In the targets of the initial sample it is about 1; later it is often less, since good values widen the scale
    of the targets. Nothing is assumed about s itself: the smoother the function, the more of s is a constant that the data
    do not determine.
    """

    rates: slice
    each: int
    """How many variables share one rate."""
    within: float

    def log_density(self, log_theta: Array) -> tuple[float, Array]:
        """Return the log density up to a constant, and its gradient by log θ (the whole vector)."""
        halves = 0.5 * self.each * np.exp(log_theta[self.rates])
        total = float(halves.sum())
        reached = -math.expm1(-total)
        log_v = float(log_theta[OUTPUT_SCALE]) + math.log(reached)
        by_scale = -log_v / self.within**2
        gradient = np.zeros(len(log_theta))
        gradient[self.rates] = by_scale * math.exp(-total) / reached * halves
        gradient[OUTPUT_SCALE] = by_scale
        return -0.5 * log_v**2 / self.within**2, gradient


def freed_parameters(
    kernel: Kernel,
    d_h: int,
    d_x: int,
    *,
    rate_level: float | None = None,
    rate_spread: float = 1.0,
    noisy: bool = False,
    sparse: bool = False,
    limit: bool = False,
) -> Parameters:
    """Return wide bounds with priors of log θ. Rates and lengthscales shrink towards a shared level.

    Rates lie around rate_level/d_h, so that points that differ in every variable correlate by exp(-rate_level) for any d_h.
    The scale of their deviations is rate_spread/√d_h: the more variables, the more alike most rates are, while a few may
    differ. Lengthscales lie around √d_x / 2, the usual scaling with the dimension of the unit cube. The output scale is fixed
    if the kernel has weights. If the kernel has only rates, the range of the function is about 1 (`SpanPrior`); else the output
    scale is about 1. If `sparse`, rates do not share a level (`SPARSE`); their start is the usual one. `limit`: the model is
    that of a limit (`LIMIT`).
    """
    rate_level = rate_level or (NUMBERS if d_x else CHOICES)
    assumed = _assumptions(d_h, d_x, rate_level, rate_spread, sparse)
    blocks, width = list(placed(kernel.blocks)), dimension(kernel)
    scale, scale_priors = _output_scale(blocks, rate_level, slice(width, width + 1))
    noise = NOISY if noisy else EXACT if not d_x else LIMIT if limit else SMOOTH
    least = MIN_LIMIT_NOISE if noise is LIMIT else MIN_NOISE

    def of_block(block: Block) -> Range:
        bounds, _, start = assumed[block.role]
        return Range(*bounds, start if block.prior is None else block.prior.level)

    def priors_of(chosen: list[tuple[Block, slice]]) -> list[LogPrior]:
        found = [(where, block.prior or assumed[block.role].prior) for block, where in chosen]
        return [prior_at(where, prior) for where, prior in found if prior is not None]

    # The log prior is a sum of floats. Its last bit depends on their order, and so do recorded runs.
    others, smoothness = ([pair for pair in blocks if (pair[0].role is Role.SMOOTHNESS) is late] for late in (False, True))
    noise_prior = Prior.at(slice(width + 1, width + 2), noise)
    priors = (*priors_of(others), *scale_priors, *priors_of(smoothness), noise_prior)
    return assembled(kernel, of_block, scale, Range(least, 1.0, noise.level), priors)


class Assumption(NamedTuple):
    """Bounds, prior and start of the hyperparameters of one role."""

    bounds: tuple[float, float]
    prior: LogNormal | LogStudent | None
    start: float

    @classmethod
    def around(cls, bounds: tuple[float, float], prior: LogNormal | LogStudent) -> Assumption:
        """Start at the level of the prior."""
        return cls(bounds, prior, prior.level)


def _assumptions(d_h: int, d_x: int, rate_level: float, rate_spread: float, sparse: bool) -> dict[Role, Assumption]:
    """Return what is assumed of each role."""
    d_h = max(d_h, 1)
    rate = Assumption.around((1e-4 / d_h, 50.0), LogStudent(rate_level / d_h, rate_spread / math.sqrt(d_h), 1.0, FREEDOM))
    if sparse:
        rate = rate._replace(prior=SPARSE._replace(level=SPARSE.level / d_h))
    return {
        Role.RATE: rate,
        Role.DISCRETE_LENGTHSCALE: rate,
        Role.LENGTHSCALE: Assumption.around((0.01, 100.0), LogNormal(0.5 * math.sqrt(max(d_x, 1)), 0.7, 0.7)),
        Role.WEIGHT: Assumption.around((1e-3, 100.0), WEIGHT),
        Role.TRADE_OFF: Assumption(FRACTION, None, 0.5),
        Role.SMOOTHNESS: Assumption.around((1e-2, 1 - 1e-2), SMOOTHNESS),
        Role.SHARE: Assumption.around((1e-2, 1 - 1e-2), SHARE),
        Role.TASK: Assumption.around(TASK_BOUNDS, TASK),
    }


def _output_scale(blocks: list[tuple[Block, slice]], rate_level: float, where: slice) -> tuple[Range, list[LogPrior]]:
    """Return range and priors of the output scale; `where` is its place in θ."""
    roles = {block.role for block, _ in blocks}
    if Role.WEIGHT in roles:
        return Range(1.0, 1.0, 1.0), []
    if Role.RATE in roles and roles <= {Role.RATE, Role.SMOOTHNESS, Role.SHARE, Role.TASK}:
        spans: list[LogPrior] = [SpanPrior(at, block.shared_by, SPAN) for block, at in blocks if block.role is Role.RATE]
        return Range(1e-2, 1e4, -1 / math.expm1(-0.5 * rate_level)), spans
    return Range(1e-2, 100.0, 1.0), [Prior(where, 0.0, 1.0)]


def parameters_for(kernel: Kernel, config: Config, d_h: int, d_x: int, limit: bool = False) -> Parameters:
    """Return bounds, start and priors of the hyperparameters under a config, of an objective or of a limit."""
    if config.priors == "freed":
        return freed_parameters(
            kernel,
            d_h,
            d_x,
            rate_level=config.rate_level,
            rate_spread=config.rate_spread,
            noisy=config.noisy,
            sparse=config.rate_prior == "sparse",
            limit=limit,
        )
    return paper_parameters(kernel, config.lengthscale_bounds, config.outputscale_bounds, config.noise_bounds)


def loosened(parameters: Parameters) -> Parameters | None:
    """Return the parameters with every Student prior of several members made loose; None if there is none."""
    priors = tuple(p.loose() if isinstance(p, StudentPrior) and _members(p) > 1 else p for p in parameters.priors)
    return replace(parameters, priors=priors) if priors != parameters.priors else None


def _members(prior: StudentPrior) -> int:
    return int(prior.where.stop - prior.where.start)
