"""Steepest ascent of the acquisition function over all neighbours at once, alternated with gradient ascent in x.

It starts from the best of many random points of the region and from the best observed points. Each climber moves to its best
eligible neighbour until none is better; then x moves, then h again, until neither helps.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from casmopolitan.core.acquisition.acquisition import Score
from casmopolitan.core.domain import BATCHES
from casmopolitan.core.points import Array, Codes, Mask, Points, stack
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.search.eligibility import Candidate, Eligibility
from casmopolitan.core.search.grid import Climb
from casmopolitan.core.search.neighbours import Neighbours
from casmopolitan.core.search.slides import slid_singly, slid_together

ROUNDS = 4
"""Alternations between h and x."""

BEST = 64
"""A costly constraint is checked for this many of the best points of a batch before the others."""

STEPS = 50
"""Maximum number of moves of h in one round."""

SCORED = 12_000
"""Neighbours scored in one move of all climbers. With a thousand variables fewer points climb, but at least two."""

DRAWN = 2_500_000
"""Values of all random candidates together: beyond 2,500 variables a thousand candidates cost more than they find."""

LEADING = 4
"""Climbers that go on after the first round if the score needs several models, which is costly: the best ones. The search then
ends when the best climber gains nothing."""


def steepest_search(
    score: Score,
    around: Neighbourhood,
    eligibility: Eligibility,
    observed: Points,
    candidates: int,
    starts: int,
    rng: np.random.Generator,
    singly: bool = False,
    limited: bool = False,
) -> Candidate | None:
    """Return the best eligible point found from `starts` of the random candidates and from the observed points.

    With `singly`, each climber moves in x by steps of its own lengths (`slides.py`); `limited` says that outcomes have limits.
    """
    domain = around.domain
    candidates = max(1, min(candidates, DRAWN // max(1, domain.d_h + domain.d_x)))
    drawn, values = starting_points(score, around, eligibility, candidates, starts, rng)
    neighbours = Neighbours.of(score, rng) if (domain.levels > 1).any() else None
    room = max(2, SCORED // max(1, len(neighbours.moves.which))) if neighbours is not None else starts + len(observed)
    observed = around.applied(observed)
    inside = observed[around.contains(observed)][: room - 1]
    top = np.argsort(-values, kind="stable")[: min(starts, room - len(inside))]
    costly, slid = len(score.parts) > 1, partial(slid_singly, limited=limited) if singly else slid_together
    known = Climb(inside, np.full(len(inside), -np.inf))
    if limited and domain.d_x and neighbours is not None and len(inside):
        # A known point has the value -inf, so any neighbour is better: without this, h would move before x has moved.
        known = slid(known, score, around, eligibility)
    climb = Climb(stack([drawn[top], known.points]), np.concatenate([values[top], known.values]))
    if not len(climb.points):
        return None
    for _ in range(ROUNDS if domain.d_x else 1):
        before = climb.values
        if neighbours is not None:
            climb = climbed(climb, neighbours, around, eligibility)
        if domain.d_x:
            climb = slid(climb, score, around, eligibility)
        better = climb.values > before + 1e-6
        if not better.any() or (costly and climb.values.max() <= before.max() + 1e-6):
            break
        if costly:
            climb = leading(climb, LEADING)
    best = int(np.argmax(climb.values))
    if not np.isfinite(climb.values[best]):
        return None
    return Candidate(climb.points[best], float(climb.values[best]))


def starting_points(
    score: Score, around: Neighbourhood, eligibility: Eligibility, candidates: int, starts: int, rng: np.random.Generator
) -> tuple[Points, Array]:
    """Draw eligible points of the region and score them. None of them keeps the centre's h: observed points climb from there.

    A costly constraint is checked for the best points first and then for the others as drawn, until `starts` are found. The
    best may all be forbidden: such points were never tried, so the model may predict good values there.
    """
    domain = around.domain
    if not domain.costly:
        drawn = around.sample(candidates, rng, apart=True)
        drawn = drawn[eligibility.fresh(drawn)]
        return drawn, score(drawn)
    values: dict[bytes, float] = {}

    def best_first() -> Iterator[Points]:
        for _ in range(BATCHES):
            drawn = around.draw(candidates, rng, apart=True)
            drawn = drawn[eligibility.fresh(drawn)]
            scores, keys, new = score(drawn), drawn.identities(), []
            for i in (*np.argsort(-scores, kind="stable")[:BEST], *range(len(drawn))):
                if keys[i] not in values:
                    values[keys[i]] = float(scores[i])
                    new.append(int(i))
            yield drawn[new]

    points = domain.first_allowed(best_first(), starts, lambda *_: 1)
    return points, np.array([values[key] for key in points.identities()])


def climbed(climb: Climb, neighbours: Neighbours, around: Neighbourhood, eligibility: Eligibility) -> Climb:
    """Move every climber to its best eligible neighbour inside the region until no neighbour is better."""
    h, values = climb.points.h.copy(), climb.values.copy()
    x = climb.points.x.copy()
    active = list(range(len(h)))
    for _ in range(STEPS):
        points = Points(h[active], x[active])
        proposed = neighbours.values(points, allowed_moves(points, neighbours, around))
        going = []
        for row, i in enumerate(active):
            move = best_move(points[row], proposed[row], values[i], neighbours, eligibility)
            if move is not None:
                new = neighbours.moved(points[row], np.array([move]))
                h[i], x[i] = new.h[0], new.x[0]
                values[i] = proposed[row, move]
                going.append(i)
        active = _distinct(h, x, going)
        if not active:
            break
    return Climb(Points(h, x), values)


def allowed_moves(points: Points, neighbours: Neighbours, around: Neighbourhood) -> Mask:
    """Return which moves change a free variable and stay within the Hamming radius: (m, moves)."""
    which, level = neighbours.moves.which, neighbours.moves.level
    centre, conditions = around.centre.h[0], around.domain.conditions
    off, other = points.h != centre, level != centre[which]
    if conditions is not None:
        active = conditions.active(points.h)[:, : around.domain.d_h]
        off &= active & (centre < conditions.levels)
        other &= (centre < conditions.levels)[which]
    after = off.sum(1)[:, None] - off[:, which] + other
    mask: Mask = (points.h[:, which] != level) & (after <= around.radius)
    if conditions is not None:
        mask &= active[:, which]
        at, move = np.nonzero(mask & conditions.controls[which])
        mask[at, move] = around.contains(neighbours.moved(points[at], move))
    if around.fixed is not None:
        mask &= ~np.isin(which, list(around.fixed.h))
    return mask


def best_move(point: Points, proposed: Array, value: float, neighbours: Neighbours, eligibility: Eligibility) -> int | None:
    """Return the best eligible neighbour that improves on `value`; the constraint is checked best first."""
    proposed = proposed.copy()
    while True:
        move = int(np.argmax(proposed))
        if not proposed[move] > value:
            return None
        if eligibility.admits(neighbours.moved(point, np.array([move])))[0]:
            return move
        proposed[move] = -np.inf


def leading(climb: Climb, count: int) -> Climb:
    """Return the `count` climbers with the best values."""
    best = np.argsort(-climb.values, kind="stable")[:count]
    return Climb(climb.points[best], climb.values[best])


def _distinct(h: Codes, x: Array, active: list[int]) -> list[int]:
    """Return one climber for every distinct point."""
    seen: set[bytes] = set()
    kept = []
    for i in active:
        key = h[i].tobytes() + x[i].tobytes()
        if key not in seen:
            seen.add(key)
            kept.append(i)
    return kept
