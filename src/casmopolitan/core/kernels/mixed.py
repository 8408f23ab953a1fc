"""Eq. (4):  k(z, z') = λ k_x(x, x') k_h(h, h')  +  (1 - λ) ( k_h(h, h') + k_x(x, x') ).

And its freed form with three weights of their own:  k = a k_x k_h + b k_h + c k_x.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from casmopolitan.core.kernels.distance import Rows
from casmopolitan.core.kernels.kernel import Data, Kernel
from casmopolitan.core.points import Array

Tape = tuple[Array, Any, Array, Any]


@dataclass(frozen=True)
class MixedKernel:
    """Sum and product of a kernel on h and a kernel on x.

    θ = (θ_h, θ_x, mixing), where mixing is nothing when `trade_off` fixes λ, λ itself when `trade_off` is 'learnt', and the
    weights a, b, c when it is 'weights'.
    """

    discrete: Kernel
    continuous: Kernel
    trade_off: float | str = 0.5

    @property
    def names(self) -> tuple[str, ...]:
        """The parts' names, then the mixing's."""
        mixing = {"learnt": ("trade-off",), "weights": ("weight[product]", "weight[discrete]", "weight[continuous]")}
        own = mixing[self.trade_off] if isinstance(self.trade_off, str) else ()
        return (*self.discrete.names, *self.continuous.names, *own)

    def split(self, theta: Array) -> tuple[Array, Array, tuple[float, float, float]]:
        """θ_h, θ_x, and the weights (a, b, c) of product, discrete and continuous part."""
        first = len(self.discrete.names)
        second = first + len(self.continuous.names)
        rest = theta[second:]
        if self.trade_off == "weights":
            return theta[:first], theta[first:second], (float(rest[0]), float(rest[1]), float(rest[2]))
        lam = float(rest[0]) if isinstance(self.trade_off, str) else self.trade_off
        return theta[:first], theta[first:second], (lam, 1.0 - lam, 1.0 - lam)

    def diagonal(self, theta: Array) -> float:
        """Eq. (4) at z = z'."""
        theta_h, theta_x, (a, b, c) = self.split(theta)
        k_h, k_x = self.discrete.diagonal(theta_h), self.continuous.diagonal(theta_x)
        return a * k_x * k_h + b * k_h + c * k_x

    def forward(self, theta: Array, data: Data) -> tuple[Array, Tape]:
        """K over the data; the tape holds both parts."""
        theta_h, theta_x, (a, b, c) = self.split(theta)
        K_h, tape_h = self.discrete.forward(theta_h, data)
        K_x, tape_x = self.continuous.forward(theta_x, data)
        return combined(a, b, c, K_h, K_x), (K_h, tape_h, K_x, tape_x)

    def backward(self, theta: Array, data: Data, tape: Tape, W: Array) -> Array:
        """∂K/∂K_h = a K_x + b,  ∂K/∂K_x = a K_h + c,  and the mixing's own."""
        theta_h, theta_x, (a, b, c) = self.split(theta)
        K_h, tape_h, K_x, tape_x = tape
        G: Array = K_x * a
        G += b
        G *= W
        from_h = self.discrete.backward(theta_h, data, tape_h, G)
        np.multiply(K_h, a, out=G)
        G += c
        G *= W
        from_x = self.continuous.backward(theta_x, data, tape_x, G)
        if not isinstance(self.trade_off, str):
            return np.concatenate([from_h, from_x])
        np.multiply(W, K_h, out=G)
        by_h, by_x, by_product = float(G.sum()), float(np.vdot(W, K_x)), float(np.vdot(G, K_x))
        own = [by_product, by_h, by_x] if self.trade_off == "weights" else [by_product - by_h - by_x]
        return np.concatenate([from_h, from_x, own])

    def cross(self, theta: Array, rows: Rows, data: Data) -> Array:
        """K between rows and the data."""
        theta_h, theta_x, (a, b, c) = self.split(theta)
        return combined(a, b, c, self.discrete.cross(theta_h, rows, data), self.continuous.cross(theta_x, rows, data))

    def pull(self, theta: Array, rows: Rows, data: Data, V: Array) -> Array:
        """∂k/∂x = (a k_h + c) ∂k_x/∂x."""
        theta_h, theta_x, (a, _, c) = self.split(theta)
        G = self.discrete.cross(theta_h, rows, data)
        G *= a
        G += c
        G *= V
        return self.continuous.pull(theta_x, rows, data, G)


def combined(a: float, b: float, c: float, K_h: Array, K_x: Array) -> Array:
    """a K_x K_h + b K_h + c K_x, as (a K_x + b) K_h + c K_x with one array of its own."""
    K: Array = K_x * a
    K += b
    K *= K_h
    K += c * K_x
    return K
