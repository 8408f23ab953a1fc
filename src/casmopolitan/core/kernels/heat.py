"""The heat kernel on the Hamming graph:  k(h, h') = exp( - Σ_j w_j d_j(h_j, h'_j) ).

It is the family of Eq. (1) with w = ℓ/d_h up to a constant factor (Doumont et al., 2025), normalised to k(h, h) = 1. The rates
w therefore need no upper bound, and the output scale is the variance of the function.

For ordinal variables it learns how smooth the function is:

    d_j = (1 - λ) δ_j + λ δ_j²,    δ_j = |p - p'| of App. B.2  (0 or 1 for a categorical variable, for which δ_j² = δ_j).

Functions drawn with exp(-w δ) have no derivative, those drawn with exp(-w δ²) have all derivatives. Sums of δ and δ² with any
weights >= 0 are of negative type, so every λ in [0, 1] gives a kernel. All ordinal variables share one λ.

For categorical variables with described choices it learns how much the descriptions matter:

    d_j = (1 - s_j) [h_j ≠ h'_j] + s_j t_j(h_j, h'_j),    t_j = the distance between the descriptions of two choices.

The mean of t_j is 1, so w_j keeps its meaning for every s_j in [0, 1]. t_j is of negative type too, so this is a kernel. It is
k = exp( - Σ_j (a_j [h_j ≠ h'_j] + v_j t_j) ) with a_j = w_j (1 - s_j) and v_j = w_j s_j. If descriptions say nothing, s_j is
small.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from casmopolitan.core.kernels.base import Block, Data, Kernel, Levels, Role, Rows
from casmopolitan.core.kernels.ordinal import squares
from casmopolitan.core.points import Array, Codes


@dataclass(frozen=True)
class HeatKernel(Kernel):
    """θ = (w, λ, s): w is (d_h,) with automatic relevance determination (`ard`), else one rate for all variables.

    `ordered` lists all ordinal variables of the domain; if it is empty, λ is 0 and not part of θ. `described` lists the
    described variables; s has one entry for each.
    """

    d_h: int
    ard: bool = True
    ordered: tuple[int, ...] = ()
    described: tuple[int, ...] = ()

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """One rate, or one per variable; then the smoothness λ, and the shares s of the descriptions."""
        smoothness = (Block(Role.SMOOTHNESS, 1),) if self.ordered else ()
        shares = (Block(Role.SHARE, len(self.described)),) if self.described else ()
        return (Block.per_variable(Role.RATE, self.d_h, self.ard), *smoothness, *shares)

    @property
    def width(self) -> int:
        """The number of rates in θ."""
        return self.d_h if self.ard else 1

    @property
    def bent(self) -> bool:
        """Whether D is more than Σ_j w_j δ_j."""
        return bool(self.ordered or self.described)

    def rates(self, theta: Array) -> Array:
        """Return w: (d_h,)."""
        return theta[: self.d_h] if self.ard else np.broadcast_to(theta[:1], (self.d_h,))

    def smoothness(self, theta: Array) -> float:
        """Return λ."""
        return float(theta[self.width]) if self.ordered else 0.0

    def shares(self, theta: Array) -> Array:
        """Return s: (described,)."""
        return theta[len(theta) - len(self.described) :]

    def forward(self, theta: Array, data: Data) -> tuple[Array, Array]:
        """Return K over the data, twice: `backward` needs K itself."""
        K = self.exponents(theta, data)
        np.negative(K, out=K)
        np.exp(K, out=K)
        return K, K

    def backward(self, theta: Array, data: Data, kept: Array, W: Array) -> Array:
        """∂K/∂θ = - K ∘ ∂D/∂θ."""
        return -self.exponent_gradient(theta, data, W * kept)

    def cross(self, theta: Array, rows: Rows, data: Data) -> tuple[Array, None]:
        """Return K between rows and the data."""
        K = self.cross_exponents(theta, rows, data)
        np.negative(K, out=K)
        return np.exp(K, out=K), None

    def factors(self, theta: Array, data: Data, which: Codes, level: Codes) -> Array:
        """Return e_j(l, i) = exp(-w_j d_j(l, h_ij)) for every listed change."""
        distance = data.level_distances(which, level)
        if self.ordered:
            distance += self.smoothness(theta) * (distance**2 - distance)
        distance *= -self.rates(theta)[which][:, None]
        for k, at, apart in data.described_levels(which, level):
            share, rate = self.shares(theta)[k], self.rates(theta)[self.described[k]]
            distance[at] = (1 - share) * distance[at] - share * rate * apart
        return np.exp(distance, out=distance)

    def distances(self, theta: Array, data: Data) -> Array:
        """Return Σ_j w_j δ_j over the data. With one rate for all variables the sum over them is made only once."""
        return data.self_distances(self.rates(theta)) if self.ard else theta[0] * data.unit_distances

    def cross_distances(self, theta: Array, rows: Rows, data: Data) -> Array:
        """Return Σ_j w_j δ_j between rows and the data."""
        return data.distances(rows, self.rates(theta)) if self.ard else data.tied_distances(rows, float(theta[0]))

    def ratio_sums(self, theta: Array, y: Array, levels: Levels, old: Codes) -> Array:
        """Return Σ_i y_i e[new] / e[old]. The ratio is exp(w) at data with the new level, exp(-w) at those with the old one."""
        w, agree = self.rates(theta)[levels.which], levels.sums(y)
        sums: Array = np.expm1(w) * agree
        sums += np.take_along_axis(np.expm1(-w) * agree, old[:, None], axis=-1)
        sums += y.sum(axis=-1, keepdims=True)
        return sums

    def exponents(self, theta: Array, data: Data) -> Array:
        """Return D = Σ_j w_j d_j over the data."""
        if not self.bent:
            return self.distances(theta, data)
        straight, square, described = self._parted(theta)
        D = data.bent_distances(straight, square) if self.ordered else data.self_distances(straight)
        if self.described:
            D += np.tensordot(described, data.described_distances, 1)
        return D

    def cross_exponents(self, theta: Array, rows: Rows, data: Data) -> Array:
        """Return D between rows and the data."""
        if not self.bent:
            return self.cross_distances(theta, rows, data)
        straight, square, described = self._parted(theta)
        D = data.distances(rows, straight)
        if self.ordered:
            D += squares(rows.p, data.rows.p, square)
        if self.described:
            D += np.tensordot(described, data.described_cross(rows), 1)
        return np.maximum(D, 0.0, out=D)

    def exponent_gradient(self, theta: Array, data: Data, W: Array) -> Array:
        """Return ∂loss/∂θ from W = ∂loss/∂D, folded:

        ∂D/∂w_j = d_j,    ∂D/∂λ = Σ_j w_j (δ_j² - δ_j),    ∂D/∂s_j = w_j (t_j - δ_j).
        """
        if not self.ard and not self.bent:
            return np.array([np.vdot(W, data.unit_distances)])
        if self.ordered:
            at, (by_rate, by_square) = self._at, data.bent_gradient(W)
            bent = by_square - by_rate[at]
            by_smoothness = [float(self.rates(theta)[at] @ bent)]
            by_rate[at] += self.smoothness(theta) * bent
        else:
            by_rate, by_smoothness = data.weight_gradient(W), []
        if self.described:
            at = self._described_at
            bent = np.tensordot(data.described_distances, W, 2) - by_rate[at]
            by_smoothness = [*by_smoothness, *(self.rates(theta)[at] * bent)]
            by_rate[at] += self.shares(theta) * bent
        return np.concatenate([by_rate if self.ard else by_rate.sum(keepdims=True), by_smoothness])

    def _parted(self, theta: Array) -> tuple[Array, Array, Array]:
        """Return the weights of δ (d_h,), those of δ² (d_o,) and those of t (described,)."""
        straight, lam = self.rates(theta).copy(), self.smoothness(theta)
        square: Array = lam * straight[self._at]
        straight[self._at] -= square
        described: Array = self.shares(theta) * straight[self._described_at]
        straight[self._described_at] -= described
        return straight, square, described

    @cached_property
    def _at(self) -> Codes:
        """The ordinal variables."""
        return np.array(self.ordered, dtype=np.int64)

    @cached_property
    def _described_at(self) -> Codes:
        """The described variables."""
        return np.array(self.described, dtype=np.int64)
