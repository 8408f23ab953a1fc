"""Hyper-parameters: their bounds, priors and start, in natural form (θ > 0) and in the raw forms that optimisers walk in.

θ = (the kernel's own, outputscale, noise variance), so that the covariance of the targets is outputscale · K + noise · I.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from casmopolitan.core.arrays import Array, Mask
from casmopolitan.core.kernels.base import Kernel
from casmopolitan.core.kernels.heat import HeatKernel


@dataclass(frozen=True, eq=False)
class Prior:
    """log θ of a group ~ N(level, within²) each, the level they share ~ N(mean, between²) and integrated out.

    Small `within` shrinks the group towards a shared value without fixing that value. The joint is Gaussian with
    covariance within² I + between² 11ᵀ, whose inverse has a closed form.
    """

    where: slice
    mean: float
    within: float
    between: float = 0.0

    def log_density(self, log_theta: Array) -> tuple[float, Array]:
        """Up to a constant, and its gradient by log θ (of the whole vector)."""
        r = log_theta[self.where] - self.mean
        tie = self.between**2 / (self.within**2 + len(r) * self.between**2)
        pull = (r - tie * r.sum()) / self.within**2
        gradient = np.zeros_like(log_theta)
        gradient[self.where] = -pull
        return -0.5 * float(r @ pull), gradient


@dataclass(frozen=True, eq=False)
class SpanPrior:
    """log v ~ N(0, within²),  v = s (1 - exp(-½ Σ_j w_j)):  how far the function ranges over the space, whatever its rates.

    With outputscale s and the heat kernel's rates w, v is half the mean squared difference between values at points that differ
    in half of what they could: about 1 in the initial sample's targets, later often less, since good values widen the scale of
    targets. Of s itself nothing is believed: the smoother the function, the more of s is a constant that no data tell.
    """

    rates: slice
    each: int
    """How many variables share a rate: one, or all of them."""
    within: float

    def log_density(self, log_theta: Array) -> tuple[float, Array]:
        """Up to a constant, and its gradient by log θ (of the whole vector)."""
        halves = 0.5 * self.each * np.exp(log_theta[self.rates])
        total = float(halves.sum())
        share = -math.expm1(-total)
        log_v = float(log_theta[-2]) + math.log(share)
        gradient = np.zeros_like(log_theta)
        gradient[-2] = -log_v / self.within**2
        gradient[self.rates] = gradient[-2] * math.exp(-total) / share * halves
        return -0.5 * log_v**2 / self.within**2, gradient


@dataclass(frozen=True, eq=False)
class Parameters:
    """Every hyper-parameter of a Gaussian process, in one vector each."""

    names: tuple[str, ...]
    low: Array
    high: Array
    start: Array
    priors: tuple[Prior | SpanPrior, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    def log_prior(self, theta: Array) -> tuple[float, Array]:
        """The priors' log density of log θ, and its gradient by log θ."""
        log_theta = np.log(theta)
        value, gradient = 0.0, np.zeros_like(theta)
        for prior in self.priors:
            v, g = prior.log_density(log_theta)
            value += v
            gradient += g
        return value, gradient

    def clipped(self, theta: Array) -> Array:
        """θ moved inside its bounds."""
        return np.clip(theta, self.low, self.high)

    def free(self) -> Mask:
        """Which parameters are not pinned by equal bounds."""
        return self.high > self.low

    def to_logit(self, theta: Array) -> Array:
        """The raw form for unconstrained steps: logit of the place of θ between its bounds."""
        span = np.where(self.free(), self.high - self.low, 1.0)
        share = np.clip((theta - self.low) / span, 1e-6, 1 - 1e-6)
        raw: Array = np.log(share / (1 - share))
        return raw

    def from_logit(self, raw: Array) -> tuple[Array, Array]:
        """θ and dθ/draw."""
        share = 1 / (1 + np.exp(-raw))
        span = self.high - self.low
        return self.low + span * share, span * share * (1 - share)

    def random(self, rng: np.random.Generator) -> Array:
        """A start drawn log-uniformly between the bounds."""
        theta: Array = np.exp(rng.uniform(np.log(self.low), np.log(self.high)))
        return theta


LENGTHSCALE, OUTPUTSCALE, NOISE = (0.01, 0.5), (0.5, 5.0), (1e-5, 0.1)
"""App. C.3: the bounds of lengthscales, outputscale and noise variance."""


def paper_parameters(
    kernel: Kernel,
    lengthscale: tuple[float, float] = LENGTHSCALE,
    outputscale: tuple[float, float] = OUTPUTSCALE,
    noise: tuple[float, float] = NOISE,
) -> Parameters:
    """App. C.3: bounds, no prior, every start at the geometric mean of its bounds (noise at 0.005)."""
    shares = ("trade-off", "smoothness")
    bounds = [(1e-3, 1 - 1e-3) if name in shares else lengthscale for name in kernel.names] + [outputscale, noise]
    low, high = np.array(bounds).T
    start = np.sqrt(low * high)
    start[-1] = min(max(0.005, noise[0]), noise[1])
    return Parameters((*kernel.names, "outputscale", "noise"), low, high, start)


CHOICES, NUMBERS = 1.5, 3.0
"""`rate_level` where nothing else is asked for: of functions of choices alone, and of x too."""

SPAN = 0.4
"""Deviation of the logarithm of how far a function of choices ranges."""

RARE = 0.05
"""The level of the product's weight where x also meets every choice on its own: that all act at once is the exception."""

ROUGH = (0.3, 0.7)
"""Level and deviation (of the logarithm) of the prior of how smooth functions of ordinals are: rough rather than smooth."""

EXACT, SMOOTH, NOISY = (1e-5, 0.7), (1e-3, 1.5), (0.1, 1.5)
"""Level and deviation (of the logarithm) of the noise variance's prior: of functions of choices alone, which the kernel can say
exactly; of functions of x too, never quite as smooth as it has them; and of objectives that do not repeat themselves."""


def freed_parameters(
    kernel: Kernel, d_h: int, d_x: int, *, rate_level: float | None = None, rate_spread: float = 1.7, noisy: bool = False
) -> Parameters:
    """Wide bounds with log-normal priors: rates and lengthscales shrunk towards a level they share, which is learnt.

    rates: around `rate_level`/d_h, so that points that differ everywhere correlate by exp(-rate_level) whatever d_h is, and
    straying from their shared level by `rate_spread`/√d_h each, so that all of them together stray by as much whatever d_h is;
    lengthscales: around √d_x / 2, the dimension-scaled choice for the unit cube; weights of sum and product around 1/3,
    the product's around 0.05 where another part has x with single choices; the smoothness of functions of ordinals around 0.3;
    outputscale: of the heat kernel alone, so that the function ranges over about 1 (`SpanPrior`), else itself around 1;
    noise: next to nothing for choices alone unless the objective is `noisy`, so that no surprise is explained away.
    """
    names = (*kernel.names, "outputscale", "noise")
    rate_level = rate_level or (NUMBERS if d_x else CHOICES)
    low, high, start = np.full(len(names), 1e-4), np.full(len(names), 1e3), np.ones(len(names))
    priors: list[Prior | SpanPrior] = []
    rates = [i for i, name in enumerate(names) if name.startswith(("rate", "discrete"))]
    if rates:
        where, level = slice(rates[0], rates[-1] + 1), rate_level / d_h
        priors.append(Prior(where, math.log(level), rate_spread / math.sqrt(d_h), 1.0))
        low[where], high[where], start[where] = 1e-4 / d_h, 50.0, level
    lengths = [i for i, name in enumerate(names) if name.startswith("continuous")]
    if lengths:
        where, level = slice(lengths[0], lengths[-1] + 1), 0.5 * math.sqrt(d_x)
        priors.append(Prior(where, math.log(level), 0.7, 0.7))
        low[where], high[where], start[where] = 0.01, 100.0, level
    weights = [i for i, name in enumerate(names) if name.startswith("weight")]
    if weights:
        where = slice(weights[0], weights[-1] + 1)
        low[where], high[where], start[where] = 1e-3, 100.0, 1 / 3
        low[-2] = high[-2] = 1.0  # the weights leave nothing for an outputscale to say
        if "weight[single]" in names:
            start[weights[0]] = RARE
            priors.append(Prior(slice(weights[0], weights[0] + 1), math.log(RARE), math.sqrt(2.0)))
            where = slice(weights[1], weights[-1] + 1)
        priors.append(Prior(where, math.log(1 / 3), 1.0, 1.0))
    elif isinstance(kernel, HeatKernel):
        priors.append(SpanPrior(slice(0, kernel.width), 1 if kernel.ard else d_h, SPAN))
        low[-2], high[-2], start[-2] = 1e-2, 1e4, -1 / math.expm1(-0.5 * rate_level)
    else:
        priors.append(Prior(slice(-2, -1), 0.0, 1.0))
        low[-2], high[-2] = 1e-2, 100.0
    if "trade-off" in names:
        i = names.index("trade-off")
        low[i], high[i], start[i] = 1e-3, 1 - 1e-3, 0.5
    if "smoothness" in names:
        i = names.index("smoothness")
        level, deviation = ROUGH
        priors.append(Prior(slice(i, i + 1), math.log(level), deviation))
        low[i], high[i], start[i] = 1e-2, 1 - 1e-2, level
    noise_level, noise_spread = NOISY if noisy else SMOOTH if d_x else EXACT
    priors.append(Prior(slice(len(names) - 1, len(names)), math.log(noise_level), noise_spread))
    low[-1], high[-1], start[-1] = 1e-6, 1.0, noise_level
    return Parameters(names, low, high, start, tuple(priors))
