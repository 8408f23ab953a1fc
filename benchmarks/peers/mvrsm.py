"""MVRSM: a surrogate of rectified linear units whose corners are at integers (Bliek, Guijt, Verwer & de Weerdt, GECCO 2021).

The surrogate is g(v) = Σ_k c_k max(0, w_k·v + b_k), v = (discrete variables, continuous variables). The units are

    1,  ±(v_i - j) for each discrete v_i,  ±(v_i - v_{i-1} - j) for adjacent discrete ones, j all integers inside the ranges,
    w·v - b with one random direction w for each continuous variable and several random b.

A strict local minimum inside the box is a corner, where units of d independent directions have their kinks. The last group
has as many directions as there are continuous variables, so that the other groups fix all discrete variables at integers.

c is fitted by recursive least squares. A suggestion is the minimum that L-BFGS-B finds from the best point so far, rounded,
with a random exploration step. Choices are integers in the order of their list. The offsets j and b, the exploration and all
settings are those of the authors' released code. That code is sequential and does not explore in its last evaluation; here
every point explores, and the points of a batch do so independently.
"""

from __future__ import annotations

from math import ceil, log

import numpy as np
from scipy.optimize import minimize

from benchmarks.axes import axes_of, configuration_of, numbers_of

RIDGE = 1e-8
"""Weight of |c - c₀|² in the least squares; c₀ is one for the units of discrete variables, which is a convex function."""
ITERATIONS = 20
"""Iterations and evaluations of L-BFGS-B."""
STEP = 0.1
"""Deviation of the exploration of a continuous variable, as a share of its range, before it is divided by √d."""
OFFSETS = 4
"""Units per direction if no variable is discrete, a case that the authors' code does not have."""


class Mvrsm:
    def __init__(self, space, initial, seed):
        axes = axes_of(space)
        self._axes = sorted(axes, key=lambda axis: axis.kind == "real")
        self._discrete = sum(axis.kind != "real" for axis in axes)
        self._low, self._high = np.array([[scaled(axis, end) for end in (axis.low, axis.high)] for axis in self._axes]).T
        self._rng = np.random.default_rng(seed)
        self._surrogate = Surrogate(*units(self._low, self._high, self._discrete, self._rng))
        self._first = self._best = None
        self.tell([configuration for configuration, _ in initial], [loss for _, loss in initial])

    def ask(self, count):
        v = minimum(self._surrogate, self._best[1], self._low, self._high)
        v[: self._discrete] = np.round(v[: self._discrete])
        points = [explored(v, self._low, self._high, self._discrete, self._rng) for _ in range(count)]
        return [configuration_of(self._axes, self._numbers(point)) for point in points]

    def tell(self, configurations, losses):
        for configuration, loss in zip(configurations, losses, strict=True):
            numbers = numbers_of(self._axes, configuration)
            v = np.array([scaled(axis, numbers[axis.name]) for axis in self._axes])
            if self._best is None or loss < self._best[0]:
                self._best = (loss, v)
            if self._first is None:
                self._first = loss
            self._surrogate.learn(v, (loss - self._first) / (abs(self._first) if abs(self._first) > 1e-8 else 1.0))

    def _numbers(self, v):
        return {axis.name: unscaled(axis, number) for axis, number in zip(self._axes, v, strict=True)}


class Surrogate:
    """g(v) = Σ_k c_k max(0, w_k·v + b_k), c by recursive least squares from the weights given."""

    def __init__(self, W, b, c, ridge=RIDGE):
        self.W, self.b, self.c, self._P = W, b, c.copy(), np.eye(len(c)) / ridge

    def learn(self, v, y):
        """Update c to the minimum of Σ (y - g)² + ridge |c - c₀|² over all that was learnt."""
        phi = np.maximum(0.0, self.W @ v + self.b)
        gain = self._P @ phi
        self.c += gain * (y - phi @ self.c) / (1 + phi @ gain)
        self._P -= np.outer(gain, gain) / (1 + phi @ gain)

    def __call__(self, v):
        """Return g(v) and its gradient, at a kink the mean of both sides' slopes."""
        z = self.W @ v + self.b
        return self.c @ np.maximum(0.0, z), (self.c * np.heaviside(z, 0.5)) @ self.W


def units(low, high, discrete, rng):
    """Return W, b and the first c."""
    d = len(low)
    W, b = [np.zeros(d)], [1.0]
    for direction in directions(d, discrete):
        for j in np.arange(*ends(direction, low, high)):  # t - j and j + 1 - t: the others are not positive anywhere in the box
            W += [direction, -direction]
            b += [-j, j + 1]
    number = len(b) - 1
    each = ceil(number / discrete) if discrete else OFFSETS
    for direction in rng.uniform(-1, 1, (d - discrete, d)) / d:
        W += [direction] * each
        b += list(-rng.uniform(*ends(direction, low, high), each))
    c = np.zeros(len(b))
    c[1 : number + 1] = 1.0
    return np.array(W), np.array(b), c


def directions(d, discrete):
    """v_i for each discrete variable, then v_i - v_{i-1}."""
    identity = np.eye(d)[:discrete]
    return [*identity, *np.diff(identity, axis=0)]


def ends(direction, low, high):
    """Return the least and the greatest value of direction·v in the box."""
    at_low, at_high = direction * low, direction * high
    return np.minimum(at_low, at_high).sum(), np.maximum(at_low, at_high).sum()


def minimum(surrogate, start, low, high):
    options = {"maxiter": ITERATIONS, "maxfun": ITERATIONS}
    found = minimize(surrogate, start, jac=True, method="L-BFGS-B", bounds=list(zip(low, high, strict=True)), options=options)
    return np.clip(found.x, low, high)


def explored(v, low, high, discrete, rng):
    """Move each discrete variable with probability 1/d, by one more with probability 1/2 each time; turn back at bounds.

    A continuous variable moves by a normal step, which is drawn again if it leaves the range.
    """
    v, d = v.copy(), len(v)
    for i in range(discrete):
        way, go_on = rng.choice([-1, 1]), 1 / d
        while low[i] < high[i] and rng.random() < go_on:
            v[i] += 1 if v[i] == low[i] else -1 if v[i] == high[i] else way
            go_on = 1 / 2
    for i in range(discrete, d):
        deviation = STEP * (high[i] - low[i]) / np.sqrt(d)
        step = rng.normal(0, deviation)
        while not low[i] <= v[i] + step <= high[i]:
            step = rng.normal(0, deviation)
        v[i] += step
    return v


def scaled(axis, number):
    return log(number) if axis.kind == "real" and axis.log else float(number)


def unscaled(axis, number):
    return float(np.exp(number)) if axis.kind == "real" and axis.log else number


def start(space, initial, seed, variant):
    return Mvrsm(space, initial, seed)
