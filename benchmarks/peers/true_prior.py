"""Expected improvement with the true prior of cuts: not a peer, but a bound on what any model could achieve.

A cut is a constant and Σ_{i<j} J_ij z_i z_j, z in {-1, 1}^d. With independent normal weights J of mean zero its covariance is
(z·z')² less a constant, exactly: nothing is left to fit but the constant and the scale of J, by maximum likelihood. EI is
searched over the whole space, by steepest ascent over all single flips from the best points and random ones.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import ndtr

STARTS, BEST = 32, 8
JITTER = 1e-8


class TruePrior:
    def __init__(self, space, initial, seed):
        self._choices = [tuple(space[name].choices) for name in space]
        if any(len(choices) != 2 for choices in self._choices):
            raise SystemExit("true-prior knows functions of switches alone: two choices a variable.")
        self._names, self._rng = list(space), np.random.default_rng(seed)
        self._Z, self._y = np.empty((0, len(self._names))), np.empty(0)
        self.tell([configuration for configuration, _ in initial], [loss for _, loss in initial])

    def ask(self, count):
        if count != 1:
            raise SystemExit("true-prior suggests one point at a time.")
        z = self._ascent(*self._posterior())
        places = (z > 0).astype(int)
        return [{name: c[place] for name, c, place in zip(self._names, self._choices, places, strict=True)}]

    def tell(self, configurations, losses):
        places = [
            [c.index(configuration[name]) for name, c in zip(self._names, self._choices, strict=True)]
            for configuration in configurations
        ]
        self._Z = np.concatenate([self._Z, 2.0 * np.array(places) - 1.0])
        self._y = np.concatenate([self._y, losses])

    def _posterior(self):
        """K⁻¹, K⁻¹(y - constant), the constant, and the scale of the covariance."""
        K = covariance(self._Z @ self._Z.T, self._Z.shape[1])
        factor = cho_factor(K + JITTER * np.eye(len(K)))
        inverse = cho_solve(factor, np.eye(len(K)))
        constant = float(inverse.sum(axis=0) @ self._y / inverse.sum())
        alpha = inverse @ (self._y - constant)
        return inverse, alpha, constant, float((self._y - constant) @ alpha) / len(K)

    def _ascent(self, inverse, alpha, constant, scale):
        """Return the untried point of largest log EI that the climbs visit."""
        d, tried, least = self._Z.shape[1], {row.tobytes() for row in self._Z > 0}, float(self._y.min())

        def score(dots):
            k = covariance(dots, d)
            variance = scale * np.maximum(1.0 - np.einsum("...n,...n->...", k @ inverse, k), 1e-12)
            return log_improvement(least - constant - k @ alpha, np.sqrt(variance))

        best = self._Z[np.argsort(self._y, kind="stable")[:BEST]]
        climbers = np.concatenate([best, self._rng.choice([-1.0, 1.0], (STARTS - len(best), d))])
        dots = climbers @ self._Z.T
        height = score(dots)
        height[: len(best)] = -np.inf
        found = (-np.inf, climbers[0])
        while len(climbers):
            near = dots[:, None, :] - 2.0 * climbers[:, :, None] * self._Z.T
            values = score(near)
            for row, flip in zip(*np.nonzero(values > found[0]), strict=True):
                z = flipped(climbers[row], flip)
                if values[row, flip] > found[0] and (z > 0).tobytes() not in tried:
                    found = (values[row, flip], z)
            top = values.argmax(axis=1)
            rows = np.flatnonzero(values[np.arange(len(top)), top] > height + 1e-9)
            height = values[rows, top[rows]]
            dots = near[rows, top[rows]]
            climbers = np.array([flipped(climbers[row], top[row]) for row in rows]).reshape(-1, d)
        return found[1]


def flipped(z, place):
    z = z.copy()
    z[place] = -z[place]
    return z


def covariance(dots, d):
    """Σ_{i<j} z_i z_j z'_i z'_j from z·z', 1 where z = z' or z = -z'."""
    return (dots**2 - d) / (d * d - d)


def log_improvement(gain, deviation):
    """Return log EI; if EI underflows, by how many deviations it is out of reach."""
    u = gain / deviation
    improvement = deviation * (u * ndtr(u) + np.exp(-0.5 * u * u) / np.sqrt(2 * np.pi))
    with np.errstate(divide="ignore"):
        return np.where(u > -8.0, np.log(np.maximum(improvement, 1e-300)), -0.5 * u * u + np.log(deviation) - 6.0)


def start(space, initial, seed, variant):
    return TruePrior(space, initial, seed)
