"""Eq. (4):  k(z, z') = λ k_x(x, x') k_h(h, h')  +  (1 - λ) ( k_h(h, h') + k_x(x, x') ).

And its freed forms with weights of their own:  k = a k_x k_h + b k_h + c k_x,  and by orders of interaction, + e k_x k_1 with
k_1 the sum over single variables of `shares.py`: x with every choice on its own, where the product has x with all at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from casmopolitan.core.arrays import Array
from casmopolitan.core.kernels.additive import HeatAndShares
from casmopolitan.core.kernels.base import Data, Kernel
from casmopolitan.core.kernels.coding import Rows
from casmopolitan.core.kernels.heat import HeatKernel

MIXING = {
    "learnt": ("trade-off",),
    "weights": ("weight[product]", "weight[discrete]", "weight[continuous]"),
    "orders": ("weight[product]", "weight[discrete]", "weight[continuous]", "weight[single]"),
}
"""The hyper-parameters that each form of mixing has of its own."""


class Weights(NamedTuple):
    """Of the product, the discrete part, the continuous part, and the product of x with single variables."""

    a: float
    b: float
    c: float
    e: float = 0.0


class Tape(NamedTuple):
    """The parts of K, and the tapes of those that have one; K_1 None without a part of single variables."""

    K_h: Array
    h: Any
    K_x: Array
    x: Any
    K_1: Array | None


@dataclass(frozen=True)
class MixedKernel:
    """Sum and product of a kernel on h and a kernel on x.

    θ = (θ_h, θ_x, mixing), where mixing is nothing when `trade_off` fixes λ, λ itself when `trade_off` is 'learnt', and the
    weights a, b, c when it is 'weights', and e too when it is 'orders', which takes θ_h for the heat kernel's rates.
    """

    discrete: Kernel
    continuous: Kernel
    trade_off: float | str = 0.5

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The parts' names, then the mixing's."""
        own = MIXING[self.trade_off] if isinstance(self.trade_off, str) else ()
        return (*self.discrete.names, *self.continuous.names, *own)

    @cached_property
    def single(self) -> HeatAndShares | None:
        """k_1 beside k_h, where there is such a part."""
        if self.trade_off != "orders":
            return None
        if not isinstance(self.discrete, HeatKernel):
            raise TypeError("a part of single variables takes its shares from the heat kernel's rates")
        return HeatAndShares(self.discrete)

    def split(self, theta: Array) -> tuple[Array, Array, Weights]:
        """θ_h, θ_x, and the weights."""
        first = len(self.discrete.names)
        second = first + len(self.continuous.names)
        rest = theta[second:]
        if self.trade_off in ("weights", "orders"):
            return theta[:first], theta[first:second], Weights(*map(float, rest))
        lam = float(rest[0]) if isinstance(self.trade_off, str) else self.trade_off
        return theta[:first], theta[first:second], Weights(lam, 1.0 - lam, 1.0 - lam)

    def diagonal(self, theta: Array) -> float:
        """Eq. (4) at z = z'."""
        theta_h, theta_x, (a, b, c, e) = self.split(theta)
        k_h, k_x = self.discrete.diagonal(theta_h), self.continuous.diagonal(theta_x)
        return a * k_x * k_h + b * k_h + c * k_x + e * k_x

    def forward(self, theta: Array, data: Data) -> tuple[Array, Tape]:
        """K over the data; the tape holds the parts."""
        theta_h, theta_x, weights = self.split(theta)
        K_x, tape_x = self.continuous.forward(theta_x, data)
        if self.single is not None:
            K_h, K_1 = self.single.forward(theta_h, data)
            return combined(weights, K_h, K_x, K_1), Tape(K_h, None, K_x, tape_x, K_1)
        K_h, tape_h = self.discrete.forward(theta_h, data)
        return combined(weights, K_h, K_x), Tape(K_h, tape_h, K_x, tape_x, None)

    def backward(self, theta: Array, data: Data, tape: Tape, W: Array) -> Array:
        """∂K/∂K_h = a K_x + b,  ∂K/∂K_x = a K_h + c + e K_1,  ∂K/∂K_1 = e K_x,  and the mixing's own."""
        theta_h, theta_x, (a, b, c, e) = self.split(theta)
        G: Array = tape.K_x * a
        G += b
        G *= W
        if self.single is None or tape.K_1 is None:
            from_h = self.discrete.backward(theta_h, data, tape.h, G)
        else:
            W_1 = tape.K_x * e
            W_1 *= W
            from_h = self.single.backward(theta_h, data, (tape.K_h, tape.K_1), G, W_1)
        np.multiply(tape.K_h, a, out=G)
        G += c
        if tape.K_1 is not None:
            G += e * tape.K_1
        G *= W
        from_x = self.continuous.backward(theta_x, data, tape.x, G)
        if not isinstance(self.trade_off, str):
            return np.concatenate([from_h, from_x])
        np.multiply(W, tape.K_h, out=G)
        by_h, by_x, by_product = float(G.sum()), float(np.vdot(W, tape.K_x)), float(np.vdot(G, tape.K_x))
        own = [by_product - by_h - by_x] if self.trade_off == "learnt" else [by_product, by_h, by_x]
        if tape.K_1 is not None:
            np.multiply(W, tape.K_1, out=G)
            own.append(float(np.vdot(G, tape.K_x)))
        return np.concatenate([from_h, from_x, own])

    def cross(self, theta: Array, rows: Rows, data: Data) -> tuple[Array, Tape]:
        """K between rows and the data; the tape holds the parts."""
        tape = self.parts(theta, rows, data)
        return combined(self.split(theta)[2], tape.K_h, tape.K_x, tape.K_1), tape

    def parts(self, theta: Array, rows: Rows, data: Data) -> Tape:
        """k_h, k_x and k_1 between rows and the data."""
        theta_h, theta_x, _ = self.split(theta)
        K_x, tape_x = self.continuous.cross(theta_x, rows, data)
        if self.single is not None:
            K_h, K_1 = self.single.cross(theta_h, rows, data)
            return Tape(K_h, None, K_x, tape_x, K_1)
        return Tape(self.discrete.cross(theta_h, rows, data)[0], None, K_x, tape_x, None)

    def pull(self, theta: Array, rows: Rows, data: Data, tape: Tape, V: Array) -> Array:
        """∂k/∂x = (a k_h + c + e k_1) ∂k_x/∂x."""
        _, theta_x, (a, _, c, e) = self.split(theta)
        G = tape.K_h * a
        G += c
        if tape.K_1 is not None:
            G += e * tape.K_1
        G *= V
        return self.continuous.pull(theta_x, rows, data, tape.x, G)


def combined(weights: Weights, K_h: Array, K_x: Array, K_1: Array | None = None) -> Array:
    """a K_x K_h + b K_h + c K_x + e K_x K_1, as (a K_x + b) K_h + K_x (c + e K_1)."""
    a, b, c, e = weights
    K: Array = K_x * a
    K += b
    K *= K_h
    K += c * K_x if K_1 is None else (c + e * K_1) * K_x
    return K
