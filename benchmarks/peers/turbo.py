"""TuRBO with one trust region, on variables relaxed to one-hot columns.

Eriksson, Pearce, Gardner, Turner and Poloczek, "Scalable Global Optimization via Local Bayesian Optimization", NeurIPS 2019;
written from its text. The model is a Gaussian process with a Matérn 5/2 kernel, one lengthscale per column, and data of the
current region alone. The region is a box around the best point, its sides weighted by the lengthscales. Each point of a
batch minimises one draw of the posterior over random candidates, which differ from the best point in about 20 columns.

As in the paper of CASMOPOLITAN (App. C.3), a categorical variable becomes one column in [0, 1] per choice; the largest
column is its choice. An ordinal or integer variable is one column, rounded to the nearest value. The model sees the columns
before they are decoded: around a corner of the cube a box with the side 0.8 would contain one choice only. The columns of an
initial point are random among those that are decoded to it. Candidates that are decoded to a known configuration are used only
if all of them are. Every later region starts with as many quasi-random points as the first.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import cholesky
from scipy.stats.qmc import Sobol

from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.fit import fit_lbfgs
from casmopolitan.core.gp.hyperparameters import paper_parameters
from casmopolitan.core.gp.posterior import condition
from casmopolitan.core.gp.targets import standardising
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.kernels.matern import MaternKernel
from casmopolitan.core.points import Axis, Points

FIRST, LEAST, MOST = 0.8, 0.5**7, 1.6
"""The side of the box at the start, below which a region ends, and at most."""
SUCCESSES = 3
"""Batches in a row with an improvement that double the side. As many failures as there are columns halve it."""
LENGTHSCALE, OUTPUTSCALE, NOISE = (0.005, 2.0), (0.05, 20.0), (5e-4, 0.1)
START = 1.5
"""The first lengthscales. With short ones, points that differ in many columns are uncorrelated and the likelihood is flat."""
CANDIDATES, MOVED = 2**11, 20
"""Candidates, and how many columns of each differ from the best point on average. The paper has up to 5000 candidates."""
DESIGN, KNOWN = 20, 1e6
"""Points of the first design if none are given; what is added to the draws at configurations that are known already."""


class Turbo:
    def __init__(self, space, initial, seed):
        self._space, self._columns, self._rng = space, Columns(space.domain), np.random.default_rng(seed)
        self._size = len(initial) or DESIGN
        self._restart()
        self._design = self._design[len(initial) :]
        points = space.encode([configuration for configuration, _ in initial])
        self._record(self._columns.encode(points, self._rng), [loss for _, loss in initial])

    def ask(self, count):
        if len(self._design):
            rows, self._design = self._design[:count], self._design[count:]
            more = self._rng.random((count - len(rows), self._columns.count))
            self._pending = np.concatenate([rows, more])
        else:
            self._pending = self._drawn(count)
        return self._space.decode(self._columns.decode(self._pending))

    def tell(self, configurations, losses):
        best, searching = self._losses.min(initial=math.inf), len(self._losses) >= self._size
        self._record(self._pending, losses)
        if searching:
            self._length, self._streak = resized(self._length, self._streak, min(losses) < best, self._tolerance(len(losses)))
            if self._length < LEAST:
                self._restart()

    def _tolerance(self, batch):
        return math.ceil(max(4, self._columns.count) / batch)

    def _record(self, rows, losses):
        self._U, self._losses = np.concatenate([self._U, rows]), np.concatenate([self._losses, losses])

    def _restart(self):
        """Forget all data and plan the first points of a new region."""
        self._U, self._losses, self._theta = np.empty((0, self._columns.count)), np.empty(0), None
        self._length, self._streak = FIRST, 0
        self._design = self._sobol(math.ceil(math.log2(self._size)))[: self._size]

    def _sobol(self, log2):
        return Sobol(self._columns.count, seed=self._rng).random_base2(log2)

    def _drawn(self, count):
        """Return the candidates that minimise `count` draws of the posterior."""
        domain = Domain(np.empty(0, dtype=np.int64), (), (Axis(0.0, 1.0),) * self._columns.count)
        kernel, points = MaternKernel(self._columns.count), relaxed(self._U)
        parameters = paper_parameters(kernel, LENGTHSCALE, OUTPUTSCALE, NOISE)
        t, data = standardising(self._losses).apply(self._losses), coded(domain, points)
        start = np.concatenate([np.full(kernel.d_x, START), parameters.start[-2:]]) if self._theta is None else self._theta
        self._theta = fit_lbfgs(kernel, parameters, data, t, start).theta
        posterior = condition(domain, kernel, self._theta, points, t, None, data)
        centre = self._U[np.argmin(self._losses)]
        U = self._candidates(centre, *box(centre, self._length, posterior.hyperparameters.kernel))
        covariance = posterior.covariance(relaxed(U))
        covariance.ravel()[:: len(U) + 1] += 1e-6 * posterior.prior_variance
        noise = self._rng.standard_normal((len(U), count))
        draws = posterior.moments(relaxed(U))[0][:, None] + cholesky(covariance, lower=True) @ noise
        draws[self._known(U)] += KNOWN
        return U[np.argmin(draws, axis=0)]

    def _known(self, U):
        """Return which rows are decoded to a configuration that the region has evaluated."""
        seen = set(self._columns.decode(self._U).identities())
        return [identity in seen for identity in self._columns.decode(U).identities()]

    def _candidates(self, centre, low, high):
        """Return quasi-random points of the box, each with the columns of the centre except for a few, and at least one."""
        U, D = self._sobol(int(math.log2(CANDIDATES))), len(centre)
        moved = self._rng.random(U.shape) < min(1.0, MOVED / D)
        moved[np.arange(len(U)), self._rng.integers(D, size=len(U))] = True
        return np.where(moved, low + U * (high - low), centre)


class Columns:
    """The relaxation of a domain: one-hot columns of the categories, one column for each ordered variable."""

    def __init__(self, domain):
        self._domain, positions = domain, domain.positions
        sizes = [int(n) if p is None else 1 for n, p in zip(domain.levels, positions, strict=True)]
        ends = np.cumsum([0, *sizes])
        self._blocks = [(slice(a, b), p) for a, b, p in zip(ends, ends[1:], positions, strict=False)]
        self.count = int(ends[-1]) + domain.d_x

    def encode(self, points, rng):
        """Return random columns that are decoded to the points."""
        U = np.concatenate([rng.random((len(points), self.count - self._domain.d_x)), points.x], axis=1)
        for (block, p), codes in zip(self._blocks, points.h.T, strict=True):
            U[:, block] = with_largest(U[:, block], codes) if p is None else p[codes, None]
        return U

    def decode(self, U):
        def nearest(u, p):
            return u.argmax(axis=1) if p is None else np.abs(u - p).argmin(axis=1)

        h = np.empty((len(U), self._domain.d_h), dtype=np.int64)
        for j, (block, p) in enumerate(self._blocks):
            h[:, j] = nearest(U[:, block], p)
        return self._domain.snapped(Points(h, U[:, self.count - self._domain.d_x :]))


def with_largest(U, codes):
    """Return the rows with their largest entry moved to the place `codes`, in exchange for the entry there."""
    rows, places = np.arange(len(U)), U.argmax(axis=1)
    exchanged = U.copy()
    exchanged[rows, places], exchanged[rows, codes] = U[rows, codes], U[rows, places]
    return exchanged


def box(centre, length, lengthscales):
    """Return the corners of the box: its sides are proportional to the lengthscales and its volume is that of a cube, before it
    is cut at the borders of [0, 1]."""
    half = 0.5 * length * lengthscales / np.exp(np.log(lengthscales).mean())
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)


def relaxed(U):
    return Points(np.empty((len(U), 0), dtype=np.int64), U)


def resized(length, streak, improved, tolerance):
    """Return side and streak after a batch; a streak counts successes in a row, or failures as a negative number."""
    streak = max(streak, 0) + 1 if improved else min(streak, 0) - 1
    if streak == SUCCESSES:
        return min(2.0 * length, MOST), 0
    return (0.5 * length, 0) if streak == -tolerance else (length, streak)


def start(space, initial, seed, variant):
    return Turbo(space, initial, seed)
