"""CoCaBO: bandits choose the categories, a Gaussian process the numbers (Ru et al., ICML 2020).

Each categorical variable has an EXP3 bandit (Auer et al., 2002) whose arms are its C choices. With weights w, all one at first,

    p_c = (1 - γ) w_c / Σ w + γ / C,        w_c <- w_c exp( γ r / (C p_c) )  for the arm c that was played.

The reward r in [0, 1] of an arm is the best value that was ever observed with it, scaled by the best and worst losses so far:
the value of the last point would punish an arm whenever x explores. Given h, the upper confidence bound
of a Gaussian process is maximised over x: random points are scored, and L-BFGS starts from the best. Its kernel is Eq. (4) of
Wan et al. (2021) with λ = 0.5, the overlap kernel on h and Matérn 5/2 on x. In a batch, h is drawn independently for each
point, and earlier points are assumed to come out as the model predicts (Kriging believer).

Only categorical variables have bandits. Ordinal and integer variables are relaxed to numbers and rounded, like the depth of
trees in the paper's experiments. If all variables are categorical, the bandits choose everything and there is no model.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import minimize

from benchmarks.axes import axes_of, configuration_of
from casmopolitan import Config
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.model import Model, fit_model
from casmopolitan.core.points import Axis, Points, stack

ROUNDS = 200
"""The horizon that γ is chosen for: the number of iterations in the paper's experiments."""

ROOT_BETA = 2.0
"""√β of the upper confidence bound -μ + √β σ."""
SAMPLES, ASCENTS = 5000, 3
"""Random x per suggestion, and how many of the best start an ascent."""

MODEL = Config(
    kernel="overlap",
    ard=False,
    targets="current",
    fit="lbfgs",
    lengthscale_bounds=(1e-4, 3.0),
    outputscale_bounds=(1.0, 1.0),
    noise_bounds=(1e-6, 1.0),
)
"""Standardised losses, unit variances and one lengthscale, as in the authors' code."""


class Bandit:
    """EXP3. Weights are kept as logarithms, which cannot overflow."""

    def __init__(self, arms):
        self._log_weights = np.zeros(arms)
        # The γ of Auer et al. (2002, Cor. 3.2), if the best arm's rewards sum to at most two thirds of the rounds.
        self.gamma = min(1.0, math.sqrt(arms * math.log(arms) / ((math.e - 1) * 2 * ROUNDS / 3)))

    def probabilities(self):
        weights = np.exp(self._log_weights - self._log_weights.max())
        return (1 - self.gamma) * weights / weights.sum() + self.gamma / len(weights)

    def draw(self, count, rng):
        p = self.probabilities()
        return rng.choice(len(p), count, p=p)

    def learn(self, arms, rewards):
        """Update the weights by the rewards of arms that were all drawn from the current probabilities."""
        p = self.probabilities()
        np.add.at(self._log_weights, arms, self.gamma * rewards / (len(p) * p[arms]))


class Cocabo:
    def __init__(self, space, initial, seed):
        if space.constraint:
            raise SystemExit("cocabo supports no constraints: its bandits choose one variable each.")
        self._rng, self._axes, self._theta = np.random.default_rng(seed), axes_of(space), None
        self._choices = [axis for axis in self._axes if axis.kind == "choice"]
        self._numbers = [axis for axis in self._axes if axis.kind != "choice"]
        self._bandits = [Bandit(axis.size) for axis in self._choices]
        self._domain = Domain(
            np.array([axis.size for axis in self._choices], dtype=np.int64),
            (None,) * len(self._choices),
            tuple(Axis(a.low, a.high, 1.0 if a.kind == "integer" else None, a.log) for a in self._numbers),
        )
        self._points = self._encoded([configuration for configuration, _ in initial])
        self._losses = np.array([loss for _, loss in initial], dtype=float)

    def ask(self, count):
        arms = [bandit.draw(count, self._rng) for bandit in self._bandits]
        h = np.array(arms, dtype=np.int64).reshape(len(arms), count).T
        if not self._numbers:
            return self._decoded(Points(h, np.empty((count, 0))))
        posterior, chosen = self._posterior(), []
        for row in h:
            chosen.append(self._best_numbers(posterior, row))
            posterior = posterior.extended(chosen[-1], posterior.moments(chosen[-1])[0])
        return self._decoded(stack(chosen))

    def tell(self, configurations, losses):
        points, losses = self._encoded(configurations), np.asarray(losses, dtype=float)
        self._points, self._losses = stack([self._points, points]), np.concatenate([self._losses, losses])
        for bandit, arms, played in zip(self._bandits, points.h.T, self._points.h.T, strict=True):
            best = np.array([self._losses[played == arm].min() for arm in arms])
            bandit.learn(arms, scaled_rewards(best, self._losses))

    def _posterior(self):
        fitted = fit_model(self._domain, MODEL, self._points, self._losses, self._losses, self._theta, self._rng)
        if not isinstance(fitted, Model):
            raise SystemExit(f"cocabo cannot fit its model: {fitted.reason}")
        self._theta = fitted.posterior.theta
        return fitted.posterior

    def _best_numbers(self, posterior, h):
        """Return the point (h, x) of largest upper confidence bound, x rounded."""

        def at(x):
            return Points(np.tile(h, (len(x), 1)), x)

        def score(points):
            return upper_confidence(*posterior.moments(points))[0]

        def loss(x):
            value, gradient = posterior.rule_with_gradient(at(x[None]), upper_confidence)
            return -value[0], -gradient[0]

        x = self._rng.random((SAMPLES, len(self._numbers)))
        starts = x[np.argsort(-score(at(x)))[:ASCENTS]]
        ends = [minimize(loss, s, jac=True, method="L-BFGS-B", bounds=[(0, 1)] * len(s)).x for s in starts]
        found = self._domain.snapped(at(np.clip(ends, 0.0, 1.0)))
        return found[int(np.argmax(score(found)))]

    def _encoded(self, configurations):
        h = [[axis.number(c[axis.name]) for axis in self._choices] for c in configurations]
        x = np.array([[float(axis.number(c[axis.name])) for axis in self._numbers] for c in configurations])
        x = x.reshape(len(configurations), len(self._numbers))
        for k, axis in enumerate(self._domain.axes):
            x[:, k] = axis.unit(x[:, k].copy())
        return Points(np.array(h, dtype=np.int64).reshape(len(configurations), len(self._choices)), x)

    def _decoded(self, points):
        values = [axis.value(points.x[:, k]) for k, axis in enumerate(self._domain.axes)]
        names = [axis.name for axis in (*self._choices, *self._numbers)]
        rows = zip(*points.h.T.tolist(), *(v.tolist() for v in values), strict=True)
        return [configuration_of(self._axes, dict(zip(names, row, strict=True))) for row in rows]


def upper_confidence(mean, variance):
    """Return -μ + √β σ, and its derivatives by μ and σ²."""
    deviation = np.sqrt(variance)
    return ROOT_BETA * deviation - mean, np.full_like(mean, -1.0), 0.5 * ROOT_BETA / deviation


def scaled_rewards(losses, seen):
    """Return 1 for the best and 0 for the worst loss seen, linear in between; 1 if all are equal."""
    best, worst = seen.min(), seen.max()
    return (worst - losses) / (worst - best) if worst > best else np.ones_like(losses)


def start(space, initial, seed, variant):
    return Cocabo(space, initial, seed)
