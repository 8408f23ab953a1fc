"""Steepest ascent of the acquisition function over all neighbours at once, alternated with joint gradient ascent in x.

Starts are the best of many random points of the region and the best points observed. Every start moves to its best allowed
neighbour until none is better; then x moves, then h again, until neither helps.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from casmopolitan.core.acquisition.acquisition import Score
from casmopolitan.core.arrays import Array, Codes, Mask
from casmopolitan.core.points import Points, no_points, stack
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.search.eligibility import Candidate, Eligibility
from casmopolitan.core.search.grid import Climb, stepped
from casmopolitan.core.search.neighbours import Neighbours

ROUNDS = 4
"""Alternations between h and x."""

TRIES = 20
"""Batches of random points out of which enough must come that a costly constraint allows."""

BEST = 64
"""The best of a batch, about which a costly constraint is asked before the others."""

STEPS = 50
"""Moves of h in one round: a climb that long has left where it started."""

SCORED = 12_000
"""Neighbours scored in one move of all climbers: with a thousand variables fewer climb, at least two."""

GRADIENT_STEPS = 20
"""L-BFGS-B iterations on x in one round."""


def steepest_search(
    score: Score,
    around: Neighbourhood,
    eligibility: Eligibility,
    observed: Points,
    candidates: int,
    starts: int,
    rng: np.random.Generator,
) -> Candidate | None:
    """The best admitted point found from `starts` of the random candidates and from the observed points given."""
    domain = around.domain
    drawn, values = promising(score, around, eligibility, candidates, starts, rng)
    neighbours = Neighbours.of(score, rng) if (domain.levels > 1).any() else None
    room = max(2, SCORED // max(1, len(neighbours.moves.which))) if neighbours is not None else starts + len(observed)
    observed = around.applied(observed)
    inside = observed[around.contains(observed)][: room - 1]
    top = np.argsort(-values, kind="stable")[: min(starts, room - len(inside))]
    climb = Climb(stack([drawn[top], inside]), np.concatenate([values[top], np.full(len(inside), -np.inf)]))
    if not len(climb.points):
        return None
    for _ in range(ROUNDS if domain.d_x else 1):
        before = climb.values
        if neighbours is not None:
            climb = climbed(climb, neighbours, around, eligibility)
        if domain.d_x:
            climb = slid(climb, score, around, eligibility)
        if not (climb.values > before + 1e-6).any():
            break
    best = int(np.argmax(climb.values))
    if not np.isfinite(climb.values[best]):
        return None
    return Candidate(climb.points[best], float(climb.values[best]))


def promising(
    score: Score, around: Neighbourhood, eligibility: Eligibility, candidates: int, starts: int, rng: np.random.Generator
) -> tuple[Points, Array]:
    """Random points of the region that may be suggested, and their scores: of many, those from which to start among them.

    A costly constraint is asked about the best first, then about the others as they come, until `starts` are found: what it
    forbids was never tried, so the model may well expect the best of all there. From the centre's h the observed points climb.
    """
    domain = around.domain
    if not domain.costly:
        drawn = around.sample(candidates, rng, apart=True)
        drawn = drawn[eligibility.fresh(drawn)]
        return drawn, score(drawn)
    found: list[Candidate] = []
    asked: set[bytes] = set()
    for _ in range(TRIES):
        drawn = around.draw(candidates, rng, apart=True)
        drawn = drawn[eligibility.fresh(drawn)]
        values = score(drawn)
        for i in (*np.argsort(-values, kind="stable")[:BEST], *range(len(drawn))):
            point = drawn[int(i)]
            key = point.identities()[0]
            if key not in asked and domain.allows(point)[0]:
                found.append(Candidate(point, float(values[i])))
            asked.add(key)
            if len(found) == starts:
                return stack([one.point for one in found]), np.array([one.value for one in found])
    points = stack([no_points(domain.d_h, domain.d_x), *(one.point for one in found)])
    return points, np.array([one.value for one in found])


def climbed(climb: Climb, neighbours: Neighbours, around: Neighbourhood, eligibility: Eligibility) -> Climb:
    """Every climber to its best admitted neighbour inside the region, again and again, until no neighbour is better."""
    h, values = climb.points.h.copy(), climb.values.copy()
    x = climb.points.x
    active = list(range(len(h)))
    for _ in range(STEPS):
        points = Points(h[active], x[active])
        proposed = neighbours.values(points, allowed(points, neighbours, around))
        going = []
        for row, i in enumerate(active):
            move = best_move(points[row], proposed[row], values[i], neighbours, eligibility)
            if move is not None:
                h[i, neighbours.moves.which[move]] = neighbours.moves.level[move]
                values[i] = proposed[row, move]
                going.append(i)
        active = _distinct(h, x, going)
        if not active:
            break
    return Climb(Points(h, x), values)


def allowed(points: Points, neighbours: Neighbours, around: Neighbourhood) -> Mask:
    """Moves that change something, leave fixed variables alone, and stay within the Hamming radius: (m, moves)."""
    which, level = neighbours.moves.which, neighbours.moves.level
    centre = around.centre.h[0]
    off = points.h != centre
    after = off.sum(1)[:, None] - off[:, which] + (level != centre[which])
    mask: Mask = (points.h[:, which] != level) & (after <= around.radius)
    if around.fixed is not None:
        mask &= ~np.isin(which, list(around.fixed.h))
    return mask


def best_move(point: Points, proposed: Array, value: float, neighbours: Neighbours, eligibility: Eligibility) -> int | None:
    """The best neighbour that may be suggested and beats where the climber stands; the constraint is asked lazily."""
    proposed = proposed.copy()
    while True:
        move = int(np.argmax(proposed))
        if not proposed[move] > value:
            return None
        h = point.h.copy()
        h[0, neighbours.moves.which[move]] = neighbours.moves.level[move]
        if eligibility.admits(Points(h, point.x))[0]:
            return move
        proposed[move] = -np.inf


def _distinct(h: Codes, x: Array, active: list[int]) -> list[int]:
    """Climbers that met at one point go on as one."""
    seen: set[bytes] = set()
    kept = []
    for i in active:
        key = h[i].tobytes() + x[i].tobytes()
        if key not in seen:
            seen.add(key)
            kept.append(i)
    return kept


def slid(climb: Climb, score: Score, around: Neighbourhood, eligibility: Eligibility) -> Climb:
    """All climbers' x at once by L-BFGS-B on the sum of their scores, within the box; grids by rounding and steps.

    The sum separates over the climbers, so one run of the optimiser serves them all.
    """
    h, shape = climb.points.h, climb.points.x.shape

    def loss(flat: Array) -> tuple[float, Array]:
        value, gradient = score.with_gradient(Points(h, flat.reshape(shape)))
        return -float(np.clip(value, -1e10, 1e10).sum()), -np.nan_to_num(gradient).ravel()

    bounds = list(zip(np.tile(around.low, shape[0]), np.tile(around.high, shape[0]), strict=True))
    start = np.clip(climb.points.x, around.low, around.high).ravel()
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": GRADIENT_STEPS, "maxls": 10})
    moved = around.snapped(Points(h, found.x.reshape(shape)))
    values = score(moved)
    better = values > climb.values
    better[better] = eligibility.admits(moved[better])
    x = np.where(better[:, None], moved.x, climb.points.x)
    return stepped(Climb(Points(h, x), np.where(better, values, climb.values)), score, around, eligibility)
