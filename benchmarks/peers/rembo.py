"""REMBO: Bayesian optimisation in a random linear embedding.

Wang, Hutter, Zoghi, Matheson and de Freitas, "Bayesian Optimization in a Billion Dimensions via Random Embeddings", JAIR 55
(2016). A is a D x d matrix of independent standard normal entries. The method searches y in [-√d, √d]^d and evaluates
p(Ay), the point of [-1, 1]^D that is nearest to Ay: every coordinate is clipped. Each variable is one coordinate; that of a
discrete variable is rounded to a level.

The paper has two kernels. This is the one on the clipped and rounded point (k_X, with Hamming distances for categories): Matérn
5/2 with one lengthscale for discrete and one for continuous variables. So the initial points, which lie outside the embedding,
are data of the model too. EI is maximised over y without gradients, since rounding makes it piecewise constant. The value of
earlier points of a batch is assumed to be the posterior mean. The paper chooses d per problem; 10 is our choice.
"""

from __future__ import annotations

import math

import numpy as np

import casmopolitan as cas
from benchmarks.cube import points_in
from benchmarks.improvement import log_improvement
from casmopolitan.core.gp.model import fit_model
from casmopolitan.core.points import stack

MODEL = cas.Config(
    kernel="one-hot",
    ard=False,
    targets="current",
    fit="lbfgs",
    outputscale_bounds=(0.05, 20.0),
    noise_bounds=(1e-6, 0.1),
)
CANDIDATES, KEPT, SCALES = 1000, 20, (0.3, 0.1, 0.03, 0.01)
"""Random y that are scored, and how many of the best are moved by normal steps of each scale in turn, relative to √d."""


class Rembo:
    def __init__(self, space, initial, seed, dimension):
        self._space, self._rng = space, np.random.default_rng(seed)
        size = space.domain.d_h + space.domain.d_x
        self._A = self._rng.standard_normal((size, min(dimension, size)))
        self._points, self._losses = space.encode([]), np.empty(0)
        self.tell([configuration for configuration, _ in initial], [loss for _, loss in initial])

    def ask(self, count):
        model = fit_model(self._space.domain, MODEL, self._points, self._losses, np.empty(0), None, self._rng)
        posterior, found = model.posterior, []
        for _ in range(count):
            point = self._improving(posterior)
            posterior = posterior.extended(point, posterior.moments(point)[0])
            found.append(point)
        return self._space.decode(stack(found))

    def tell(self, configurations, losses):
        self._points = stack([self._points, self._space.encode(configurations)])
        self._losses = np.concatenate([self._losses, losses])

    def _improving(self, posterior):
        """Return the point of the embedding with the largest EI that the search finds."""
        side, best = math.sqrt(self._A.shape[1]), float(posterior.y.min())

        def score(Y):
            return log_improvement(*posterior.moments(self._points_at(Y)), best)[0]

        Y = self._rng.uniform(-side, side, (CANDIDATES, self._A.shape[1]))
        values = score(Y)
        for scale in SCALES:
            top = np.argsort(-values, kind="stable")[:KEPT]
            Y, values = Y[top], values[top]
            near = np.repeat(Y, CANDIDATES // KEPT, axis=0)
            near = np.clip(near + scale * side * self._rng.standard_normal(near.shape), -side, side)
            Y, values = np.concatenate([Y, near]), np.concatenate([values, score(near)])
        return self._points_at(Y[[np.argmax(values)]])

    def _points_at(self, Y):
        return points_in(self._space.domain, (1.0 + clipped(Y, self._A)) / 2.0)


def clipped(Y, A):
    """Return p(Ay) for every row y: the nearest point of [-1, 1]^D."""
    return np.clip(Y @ A.T, -1.0, 1.0)


def start(space, initial, seed, variant):
    return Rembo(space, initial, seed, int(variant))
