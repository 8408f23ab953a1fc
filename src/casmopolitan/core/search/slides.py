"""Moves of the climbers in x: along the gradient within the box, then along the grids.

`slid_together` is for one objective without limits, `slid_singly` for limits or several objectives: beside a limit the score is
as steep as a wall, and elsewhere flat, so that each climber needs its own step lengths.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize

from casmopolitan.core.acquisition.acquisition import Score
from casmopolitan.core.conditions import MIDDLE
from casmopolitan.core.points import Array, Points
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.search.ascent import ascend
from casmopolitan.core.search.eligibility import Eligibility
from casmopolitan.core.search.grid import Climb, stepped

GRADIENT_STEPS = 20
"""L-BFGS-B iterations on the sum of the scores of all climbers."""

EVALUATIONS = 25
"""Largest number of steps of one ascent when each climber has its own step lengths; a slide makes up to three ascents."""

HALVINGS = 4
"""How often a step of x that ends too near a known point is halved."""


def slid_together(climb: Climb, score: Score, around: Neighbourhood, eligibility: Eligibility) -> Climb:
    """Move the x of all climbers by L-BFGS-B on the sum of their scores, within the box; grids by rounding and steps.

    The sum separates over the climbers, so one run of the optimiser moves them all. A climber that ends too near a known
    point goes back towards its start.
    """
    h, shape, along_x = climb.points.h, climb.points.x.shape, score.along_x(climb.points)
    low, high = bounds_of(climb.points, around)

    def loss(flat: Array) -> tuple[float, Array]:
        value, gradient = along_x(flat.reshape(shape))
        if not np.isfinite(gradient).all():
            gradient = np.nan_to_num(gradient)
        return -float(np.clip(value, -1e10, 1e10).sum()), -gradient.ravel()

    bounds = list(zip(low.ravel(), high.ravel(), strict=True))
    start = np.clip(climb.points.x, low, high).ravel()
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": GRADIENT_STEPS, "maxls": 10})
    moved = around.snapped(Points(h, found.x.reshape(shape)))
    return stepped(accepted(climb, moved, climb.points, score, around, eligibility), score, around, eligibility)


def slid_singly(climb: Climb, score: Score, around: Neighbourhood, eligibility: Eligibility, limited: bool) -> Climb:
    """Move the x of each climber uphill by steps of its own lengths; grids by rounding and steps.

    Rounding may break a limit that the real numbers can meet again. So with limits the real numbers also go on from the rounded
    point, and from the start, while the numbers on grids are held. The best of the three ends counts.
    """
    start, grids, rounded = climb.points, around.domain.grids, ascended(climb.points, score, around, held=())
    ends = [rounded]
    if limited and 0 < len(grids) < around.domain.d_x:
        ends += [ascended(points, score, around, held=grids) for points in (rounded, start)]
    for moved in ends:
        climb = accepted(climb, moved, start, score, around, eligibility)
    return stepped(climb, score, around, eligibility)


def ascended(points: Points, score: Score, around: Neighbourhood, held: Sequence[int]) -> Points:
    """Return where x ends, rounded to the grids; the coordinates `held` stay as they are."""
    low, high = bounds_of(points, around)
    low[:, held] = high[:, held] = points.x[:, held]
    return around.snapped(Points(points.h, ascend(score.along_x(points), points.x, low, high, EVALUATIONS)))


def bounds_of(points: Points, around: Neighbourhood) -> tuple[Array, Array]:
    """Return the lower and the upper bounds of x at each point; inactive variables stay in the middle."""
    active = around.domain.active(points)[:, around.domain.d_h :]
    return np.where(active, around.low, MIDDLE), np.where(active, around.high, MIDDLE)


def accepted(
    climb: Climb, moved: Points, start: Points, score: Score, around: Neighbourhood, eligibility: Eligibility
) -> Climb:
    """Move each climber to its new point if that is better and eligible; points near known ones first go back to the start."""
    for _ in range(HALVINGS):
        crowded = eligibility.crowded(moved)
        if not crowded.any():
            break
        x = np.where(crowded[:, None], (moved.x + start.x) / 2, moved.x)
        moved = around.snapped(Points(climb.points.h, x))
    values = score(moved)
    better = values > climb.values
    better[better] = eligibility.admits(moved[better])
    x = np.where(better[:, None], moved.x, climb.points.x)
    return Climb(Points(climb.points.h, x), np.where(better, values, climb.values))
