"""App. B.2: the posterior deviation on discretised Branin after ten random points, with k_h and with k_o."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

import casmopolitan as cas
from benchmarks.paper.claims import AGAINST, HOLDS, Comparison
from benchmarks.paper.data import Data
from benchmarks.paper.drawing import board, headed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KERNELS = {"categorical kernel k_h": cas.Categorical, "ordinal kernel k_o": cas.Ordinal}
POINTS, SEED = 10, 0
CONFIG = replace(cas.PAPER, trust_region=False, n_initial=POINTS)
SAME, RELATED = 1e-3, 0.3
"""Largest relative spread that counts as equal; smallest rank correlation that counts as a relation."""


@dataclass(frozen=True, eq=False)
class Field:
    """grid: the values of a variable. deviation: (x2, x1). seen, following: indices (x1, x2) of the data and the next point."""

    grid: list[float]
    deviation: np.ndarray
    seen: np.ndarray
    following: tuple[int, int]

    def apart(self) -> np.ndarray:
        """The grid points that share no coordinate with the data."""
        first, second = np.indices(self.deviation.T.shape)
        return ~(np.isin(first, self.seen[:, 0]) | np.isin(second, self.seen[:, 1])).T

    def distances(self) -> np.ndarray:
        """The distance of every grid point to the nearest datum, in steps of the grid."""
        places = np.stack(np.indices(self.deviation.T.shape), axis=-1)
        steps = np.abs(places[:, :, None, :] - self.seen).sum(axis=-1)
        return steps.min(axis=-1).T


@cache
def field(kind: type[cas.Categorical] | type[cas.Ordinal]) -> Field:
    """Fit the model to the same ten points, with both variables of this kind."""
    problem = cas.problems.get("branin-51")
    grid = [problem.space["x1"].at(k) for k in range(51)]
    first = problem.space.sample(POINTS, np.random.default_rng(SEED))
    optimizer = cas.Optimizer(cas.Space({"x1": kind(grid), "x2": kind(grid)}), seed=SEED, config=CONFIG, initial=first)
    for trial in optimizer.ask(POINTS):
        optimizer.tell(trial, problem.function(trial.configuration))
    everywhere = [{"x1": a, "x2": b} for b in grid for a in grid]
    _, deviation = optimizer.predict(everywhere)
    place = lambda c: (grid.index(c["x1"]), grid.index(c["x2"]))  # noqa: E731
    seen = np.array([place(trial.configuration) for trial in optimizer.trials])
    return Field(grid, deviation.reshape(len(grid), len(grid)), seen, place(optimizer.ask().configuration))


def draw(data: Data) -> Figure:
    figure, grid = board(2, width=4.6, height=3.6)
    for axes, (title, kind) in zip(grid, KERNELS.items(), strict=True):
        found = field(kind)
        low, high = found.grid[0], found.grid[-1]
        shown = axes.imshow(found.deviation**2, origin="lower", extent=(low, high, low, high), cmap="viridis")
        at = np.array(found.grid)
        axes.plot(at[found.seen[:, 0]], at[found.seen[:, 1]], "o", color="black", markeredgecolor="white", markersize=7)
        axes.plot(at[found.following[0]], at[found.following[1]], "D", color="#E5231B", markeredgecolor="white", markersize=9)
        axes.set_title(title)
        axes.set_xlabel("x1")
        axes.set_ylabel("x2")
        axes.grid(visible=False)
        figure.colorbar(shown, ax=axes, shrink=0.85, label="posterior variance")
    figure.supxlabel("black: ten random points; red: the next suggestion", fontsize=8.5, color="#444444")
    return headed(figure, data)


def rule(data: Data) -> Iterator[Comparison]:
    """Where no coordinate is shared with the data, k_h makes all points equally uncertain, and k_o those nearby less so."""
    nominal, ordinal = (field(kind) for kind in KERNELS.values())
    away = nominal.deviation[nominal.apart()]
    spread = float(np.ptp(away) / away.max())
    what = "k_h: deviation is equal wherever no coordinate is shared"
    yield Comparison(what, HOLDS if spread < SAME else AGAINST, f"relative spread {spread:.1g}")
    found = stats.spearmanr(ordinal.distances()[ordinal.apart()], ordinal.deviation[ordinal.apart()]).statistic
    what = "k_o: deviation grows with the distance to the nearest datum, also where no coordinate is shared"
    yield Comparison(what, HOLDS if found > RELATED else AGAINST, f"rank correlation {found:.2f}")
