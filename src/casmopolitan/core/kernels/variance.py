"""The variance of a random function, split by the sets of variables that act together.

A function of independent, uniformly drawn variables is a sum of one part per set of variables (analysis of variance, Sobol
indices). For a Gaussian process with a product kernel k(z, z') = Π_j k_j(z_j, z'_j), k_j(z, z) = 1, the expected variance of
the part of a set u has a closed form:

    V_u = Π_{j in u} q_j  Π_{j not in u} (1 - q_j),      q_j = 1 - E k_j(z_j, z'_j)   for independent z_j and z'_j.

So the number of variables that act together is distributed like a sum of independent coins with probabilities q_j. The part of
the empty set is a constant. The variance of the function is therefore  V = 1 - Π_j (1 - q_j),  and the shares of it are

    of all sets with variable j (its relevance, the total Sobol index):   q_j / V        of single variables:   Σ_j V_{j} / V.

The heat kernel is such a product. Matérn 5/2 is an average of products:  k_x = E_g Π_k exp( - (x_k - x'_k)² / (2 g ℓ_k²) )
with g ~ Gamma(5/2, rate 5/2). The additive kernel k_1 is a sum of them. The variances of independent summands are added.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import erf

from casmopolitan.core.domain import Domain
from casmopolitan.core.kernels.base import Kernel, dimension
from casmopolitan.core.kernels.heat import HeatKernel
from casmopolitan.core.kernels.matern import MaternKernel
from casmopolitan.core.kernels.mixed import MixedKernel
from casmopolitan.core.kernels.task import TaskKernel
from casmopolitan.core.points import Array, Axis

NODES = np.geomspace(0.01, 8.0, 16)
"""Values of g. The average over them differs from Matérn 5/2 by less than 2e-5."""
_DENSITY = NODES**2.5 * np.exp(-2.5 * NODES)
WEIGHTS: Array = _DENSITY / _DENSITY.sum()

FINE = 32
"""A grid of more values than this counts as continuous."""


@dataclass(frozen=True, eq=False)
class Split:
    """The expected variance of a random function: all of it, that of all sets with variable j, and that of single variables."""

    whole: float
    involving: Array
    single: float

    @classmethod
    def of_products(cls, q: Array, weights: Array) -> Split:
        """Return the split of a process whose kernel is a weighted sum of products.   q: (terms, d)   weights: (terms,)"""
        logs, odds = np.log1p(-q).sum(axis=1), (q / (1 - q)).sum(axis=1)
        return cls(float(weights @ -np.expm1(logs)), weights @ q, float((weights * np.exp(logs)) @ odds))

    def __add__(self, other: Split) -> Split:
        """Return the split of the sum of two independent functions of the same variables."""
        return Split(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))

    def times(self, variance: float) -> Split:
        """Return the split of the same function at `variance` times its variance."""
        return Split(*(variance * part for part in vars(self).values()))


def split(kernel: Kernel, theta: Array, domain: Domain) -> Split | None:
    """Return how the variance of a process with this kernel is split; None for kernels other than those of the default.

    The variables are the columns of h, then those of x.
    """
    one = np.ones(1)
    if isinstance(kernel, TaskKernel):
        return split(kernel.inner, theta[: dimension(kernel.inner)], domain)
    if isinstance(kernel, HeatKernel):
        return Split.of_products(discrete_q(kernel, theta, domain)[None], one)
    if isinstance(kernel, MaternKernel):
        return Split.of_products(continuous_q(theta, domain), WEIGHTS)
    if not (isinstance(kernel, MixedKernel) and isinstance(kernel.discrete, HeatKernel)):
        return None
    theta_h, theta_x, (a, b, c, e) = kernel.split(theta)
    q_h, q_x = discrete_q(kernel.discrete, theta_h, domain), continuous_q(theta_x, domain)
    both = np.hstack([np.tile(q_h, (len(q_x), 1)), q_x])
    found = Split.of_products(both, a * WEIGHTS)
    found += Split.of_products(np.hstack([q_h, np.zeros(domain.d_x)])[None], b * one)
    found += Split.of_products(np.hstack([np.zeros((len(q_x), domain.d_h)), q_x]), c * WEIGHTS)
    if kernel.additive is None:
        return found
    # k_1 is an average of kernels of one variable each: like one variable that is involved by their mean.
    rates = kernel.discrete.rates(theta_h)
    involved = rates / rates.sum() * mean_distances(domain)
    joint = Split.of_products(np.hstack([np.full((len(q_x), 1), involved.sum()), q_x]), e * WEIGHTS)
    return found + Split(joint.whole, np.hstack([e * involved, joint.involving[1:]]), joint.single)


def discrete_q(kernel: HeatKernel, theta: Array, domain: Domain) -> Array:
    """Return q of the heat kernel for each discrete variable: (1 - 1/n_j) (1 - exp(-w_j)) for a categorical one."""
    w, lam = kernel.rates(theta), kernel.smoothness(theta)
    q: Array = (1 - 1 / domain.levels) * -np.expm1(-w)
    for j, apart in ordinal_distances(domain):
        q[j] = -np.expm1(-w[j] * ((1 - lam) * apart + lam * apart**2)).mean()
    for share, (j, apart) in zip(kernel.shares(theta), domain.described, strict=True):
        q[j] = -np.expm1(-w[j] * ((1 - share) * (1 - np.eye(len(apart))) + share * apart)).mean()
    return q


def mean_distances(domain: Domain) -> Array:
    """Return E δ_j for each discrete variable: 1 - 1/n_j for a categorical one."""
    mean: Array = 1 - 1 / domain.levels
    for j, apart in ordinal_distances(domain):
        mean[j] = apart.mean()
    return mean


def ordinal_distances(domain: Domain) -> Iterator[tuple[int, Array]]:
    """Yield each ordinal variable with more than two levels, and δ_j between all its levels."""
    for j, positions in enumerate(domain.positions):
        if positions is not None and len(positions) > 2:  # two levels are like those of a categorical variable
            yield j, np.abs(positions[:, None] - positions)


def continuous_q(lengthscales: Array, domain: Domain) -> Array:
    """Return q of the factor exp(-c (x - x')²), c = 1 / (2 g ℓ_k²), for each g in NODES and each axis: (nodes, d_x)."""
    c = 0.5 / (NODES[:, None] * np.broadcast_to(lengthscales, (domain.d_x,)) ** 2)
    q: Array = 1 - (np.sqrt(np.pi / c) * erf(np.sqrt(c)) + np.expm1(-c) / c)
    for k, axis in enumerate(domain.axes):
        if axis.count is not None and axis.count <= FINE:
            x = drawn(axis)
            q[:, k] = -np.expm1(-c[:, k, None, None] * (x[:, None] - x) ** 2).mean(axis=(1, 2))
    return np.maximum(q, 0.0)


def drawn(axis: Axis) -> Array:
    """Return coordinates that represent uniform draws from a grid."""
    return axis.snapped((np.arange(100) + 0.5) / 100) if axis.log else axis.at(np.arange(axis.count or 1))
