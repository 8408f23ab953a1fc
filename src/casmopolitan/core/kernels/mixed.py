"""Eq. (4):  k(z, z') = λ k_x(x, x') k_h(h, h')  +  (1 - λ) ( k_h(h, h') + k_x(x, x') ).

Two generalisations have free weights:  k = a k_x k_h + b k_h + c k_x,  and with the additive kernel k_1 (`additive.py`)
k = a k_x k_h + b k_h + c k_x + e k_x k_1. In k_x k_1 the function of x depends on one discrete variable at a time; in the
product k_x k_h it depends on all of them at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from casmopolitan.core.kernels.base import Block, ChangeTable, Data, Kernel, Levels, LogNormal, Role, Rows, changed, dimension
from casmopolitan.core.points import Array, Codes

RARE = LogNormal(0.05, math.sqrt(2.0))
"""Prior of the weight of k_x k_h beside k_x k_1: a function of x that depends on all choices at once is the exception."""


class DiscretePair(Protocol):
    """k_h and k_1, which share their hyperparameters and distances (`additive.py`)."""

    def relative_rates(self, theta: Array) -> Array:
        """Return v: by how much a change of each variable lowers k_1 at most."""
        ...

    def forward(self, theta: Array, data: Data) -> tuple[Array, Array]:
        """Return K_h and K_1 over the data."""
        ...

    def backward(self, theta: Array, data: Data, kept: tuple[Array, Array], W_h: Array, W_1: Array) -> Array:
        """Return ∂loss/∂θ_h from ∂loss/∂K_h and ∂loss/∂K_1, which may be overwritten."""
        ...

    def cross(self, theta: Array, rows: Rows, data: Data) -> tuple[Array, Array]:
        """Return K_h and K_1 between rows and the data."""
        ...

    def losses(self, theta: Array, data: Data, which: Codes, level: Codes) -> Array:
        """Return by how much each listed level lowers k_1: (changes, n)."""
        ...


class Weights(NamedTuple):
    """Weights of k_x k_h, k_h, k_x and k_x k_1."""

    a: float
    b: float
    c: float
    e: float = 0.0


class Parts(NamedTuple):
    """The matrices that K consists of, and the values that derivatives need; K_1 is None without additive terms."""

    K_h: Array
    kept_h: Any
    K_x: Array
    kept_x: Any
    K_1: Array | None


@dataclass(frozen=True)
class MixedKernel(Kernel):
    """Sum and product of a kernel on h and a kernel on x.

    θ = (θ_h, θ_x, mixing). The mixing is empty if `trade_off` is a number, λ itself if it is 'learnt', and the weights a, b, c
    if it is 'weights'. `additive` adds k_1 and its weight e, and computes k_h too; it needs 'weights'.
    """

    discrete: Kernel
    continuous: Kernel
    trade_off: float | str = 0.5
    additive: DiscretePair | None = None

    def __post_init__(self) -> None:
        if self.additive is not None and self.trade_off != "weights":
            raise TypeError(f"additive terms need the trade-off 'weights', not {self.trade_off!r}")

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of both parts, then those of the mixing."""
        own: tuple[Block, ...] = ()
        if self.additive is not None:
            own = (Block(Role.WEIGHT, 1, prior=RARE), Block(Role.WEIGHT, 3))
        elif isinstance(self.trade_off, str):
            own = (Block(Role.TRADE_OFF, 1) if self.trade_off == "learnt" else Block(Role.WEIGHT, 3),)
        return (*self.discrete.blocks, *self.continuous.blocks, *own)

    @cached_property
    def _ends(self) -> tuple[int, int]:
        """Where θ_h and θ_x end in θ."""
        first = dimension(self.discrete)
        return first, first + dimension(self.continuous)

    def split(self, theta: Array) -> tuple[Array, Array, Weights]:
        """Return θ_h, θ_x and the weights."""
        first, second = self._ends
        rest = theta[second:]
        if self.trade_off == "weights":
            return theta[:first], theta[first:second], Weights(*map(float, rest))
        lam = float(rest[0]) if isinstance(self.trade_off, str) else self.trade_off
        return theta[:first], theta[first:second], Weights(lam, 1.0 - lam, 1.0 - lam)

    def diagonal(self, theta: Array) -> float:
        """Return Eq. (4) at z = z'."""
        theta_h, theta_x, (a, b, c, e) = self.split(theta)
        k_h, k_x = self.discrete.diagonal(theta_h), self.continuous.diagonal(theta_x)
        return a * k_x * k_h + b * k_h + c * k_x + e * k_x

    def forward(self, theta: Array, data: Data) -> tuple[Array, Parts]:
        """Return K over the data, and its parts."""
        theta_h, theta_x, weights = self.split(theta)
        K_x, kept_x = self.continuous.forward(theta_x, data)
        if self.additive is not None:
            K_h, K_1 = self.additive.forward(theta_h, data)
            return combined(weights, K_h, K_x, K_1), Parts(K_h, None, K_x, kept_x, K_1)
        K_h, kept_h = self.discrete.forward(theta_h, data)
        return combined(weights, K_h, K_x), Parts(K_h, kept_h, K_x, kept_x, None)

    def backward(self, theta: Array, data: Data, kept: Parts, W: Array) -> Array:
        """∂K/∂K_h = a K_x + b,  ∂K/∂K_x = a K_h + c + e K_1,  ∂K/∂K_1 = e K_x,  and the derivatives by the mixing."""
        theta_h, theta_x, (a, b, c, e) = self.split(theta)
        part: Array = kept.K_x * a  # one array for ∂loss/∂K_h, then ∂loss/∂K_x
        part += b
        part *= W
        if self.additive is None or kept.K_1 is None:
            from_h = self.discrete.backward(theta_h, data, kept.kept_h, part)
        else:
            W_1 = kept.K_x * e
            W_1 *= W
            from_h = self.additive.backward(theta_h, data, (kept.K_h, kept.K_1), part, W_1)
        np.multiply(kept.K_h, a, out=part)
        part += c
        if kept.K_1 is not None:
            part += e * kept.K_1
        part *= W
        from_x = self.continuous.backward(theta_x, data, kept.kept_x, part)
        if not isinstance(self.trade_off, str):
            return np.concatenate([from_h, from_x])
        np.multiply(W, kept.K_h, out=part)
        by_h, by_x, by_product = float(part.sum()), float(np.vdot(W, kept.K_x)), float(np.vdot(part, kept.K_x))
        own = [by_product - by_h - by_x] if self.trade_off == "learnt" else [by_product, by_h, by_x]
        if kept.K_1 is not None:
            np.multiply(W, kept.K_1, out=part)
            own.append(float(np.vdot(part, kept.K_x)))
        return np.concatenate([from_h, from_x, own])

    def cross(self, theta: Array, rows: Rows, data: Data) -> tuple[Array, Parts]:
        """Return K between rows and the data, and its parts."""
        theta_h, theta_x, weights = self.split(theta)
        K_x, kept_x = self.continuous.cross(theta_x, rows, data)
        if self.additive is not None:
            K_h, K_1 = self.additive.cross(theta_h, rows, data)
            return combined(weights, K_h, K_x, K_1), Parts(K_h, None, K_x, kept_x, K_1)
        K_h = self.discrete.cross(theta_h, rows, data)[0]
        return combined(weights, K_h, K_x), Parts(K_h, None, K_x, kept_x, None)

    def cross_again(self, theta: Array, rows: Rows, data: Data, kept: Parts) -> tuple[Array, Parts]:
        """Return K between rows and the data with new K_x."""
        _, theta_x, weights = self.split(theta)
        K_x, kept_x = self.continuous.cross(theta_x, rows, data)
        return combined(weights, kept.K_h, K_x, kept.K_1), kept._replace(K_x=K_x, kept_x=kept_x)

    def pull(self, theta: Array, rows: Rows, data: Data, kept: Parts, V: Array) -> Array:
        """∂k/∂x = (a k_h + c + e k_1) ∂k_x/∂x."""
        _, theta_x, (a, _, c, e) = self.split(theta)
        by_K_x = kept.K_h * a
        by_K_x += c
        if kept.K_1 is not None:
            by_K_x += e * kept.K_1
        by_K_x *= V
        return self.continuous.pull(theta_x, rows, data, kept.kept_x, by_K_x)

    def change_sums(self, theta: Array, crossed: tuple[Array, Parts], z: Array, levels: Levels, old: Codes) -> Array | None:
        """Return the sums of `Kernel.change_sums`, by the rules of `MixedTable`."""
        (theta_h, _, (a, b, c, e)), (_, parts) = self.split(theta), crossed
        sums = self.discrete.ratio_sums(theta_h, z * (parts.K_h * (a * parts.K_x + b))[:, None], levels, old)
        if sums is None:
            return None
        rest = c * parts.K_x if parts.K_1 is None else (c + e * parts.K_1) * parts.K_x
        sums += np.einsum("mrn,mn->mr", z, rest)[..., None]
        if self.additive is not None:
            gained = self.additive.relative_rates(theta_h)[levels.which] * levels.sums(z * (e * parts.K_x)[:, None])
            sums += gained - np.take_along_axis(gained, old[:, None], axis=-1)
        return sums

    def change_table(self, theta: Array, data: Data, which: Codes, level: Codes, scale: float) -> ChangeTable | None:
        """Return the table if the discrete kernel has factors, else None."""
        theta_h, _, _ = self.split(theta)
        factor = self.discrete.factors(theta_h, data, which, level)
        if factor is None:
            return None
        losses = None if self.additive is None else self.additive.losses(theta_h, data, which, level)
        return MixedTable(self.split(theta)[2], factor, losses, scale)


@dataclass(frozen=True, eq=False)
class MixedTable:
    """k_h changes by the factor e[new] / e[old], k_1 by losses[old] - losses[new], k_x not at all."""

    weights: Weights
    factor: Array
    losses: Array | None
    scale: float

    def covariances(self, crossed: tuple[Array, Parts], at: Codes, old: Codes, new: Codes) -> Array:
        """Return the covariances of `ChangeTable`."""
        (a, b, c, e), (_, parts), scale = self.weights, crossed, self.scale
        K_x = parts.K_x
        K = changed(parts.K_h * (scale * (a * K_x + b)), self.factor, at, old, new)
        if self.losses is None or parts.K_1 is None:
            K += (scale * (c * K_x))[at]
            return K
        K += (scale * (c + e * parts.K_1) * K_x)[at]
        gained = self.losses[old]
        gained -= self.losses[new]
        gained *= (scale * (e * K_x))[at]
        K += gained
        return K


def combined(weights: Weights, K_h: Array, K_x: Array, K_1: Array | None = None) -> Array:
    """Return a K_x K_h + b K_h + c K_x + e K_x K_1, as (a K_x + b) K_h + K_x (c + e K_1)."""
    a, b, c, e = weights
    K: Array = K_x * a
    K += b
    K *= K_h
    K += c * K_x if K_1 is None else (c + e * K_1) * K_x
    return K
