"""The charts of a report with several objectives or limits: the front, its hypervolume, and every limited outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

from markupsafe import Markup

from casmopolitan.analysis.convergence import without_outliers
from casmopolitan.analysis.front import front_of, hypervolumes
from casmopolitan.analysis.row import TrialRow, complete
from casmopolitan.formatting import abbreviate
from casmopolitan.goals import Goals, parsed_limit
from casmopolitan.report.charts import BETTER, ON_SCREEN, WIDE, Look, draw_restarts, trial_scale
from casmopolitan.report.svg import Canvas, Scale, label_width, padded_range
from casmopolitan.trial import Direction, sign_of

MOST_OBJECTIVES = 4
"""Objectives that are drawn in pairs; more would give too many charts."""


def pareto_front(
    rows: Sequence[TrialRow], goals: Goals, front: Sequence[TrialRow], both: Callable[[Callable[[Look], Markup]], Markup]
) -> list[Markup]:
    """Draw the trials for every pair of objectives: those on the front, dominated ones, and those that violate a limit.

    In a noisy run the front is that of the predicted means, and drawn there.
    """
    if goals.single or not front:
        return []
    pairs = list(combinations(list(goals.objectives)[:MOST_OBJECTIVES], 2))
    means = {row.number: replace(row, outcomes={**(row.outcomes or {}), **(row.means or {})}) for row in front}
    drawn, leaders = [means.get(row.number, row) for row in rows], list(means.values())
    if len(pairs) == 1:
        return [both(lambda look: _plane(drawn, goals, leaders, pairs[0], look))]
    return [both(lambda look, pair=pair: _plane(drawn, goals, leaders, pair, look, alone=False)) for pair in pairs]  # type: ignore[misc]


def _plane(
    rows: Sequence[TrialRow],
    goals: Goals,
    front: Sequence[TrialRow],
    pair: tuple[str, str],
    look: Look = ON_SCREEN,
    *,
    alone: bool = True,
) -> Markup:
    x, y = pair
    known = [row for row in complete(rows) if _outcome(row, x) is not None and _outcome(row, y) is not None]
    (left, right), (low, high) = (_range(known, front, name, goals.objectives[name]) for name in pair)
    size = (look.width, 340.0 if look.width == WIDE else 270.0) if alone else (min(look.width, 420.0), 280.0)
    canvas = Canvas(*size, f"{y} against {x}", left=max(50.0, label_width(low, high)), top=26, tips=look.tips)
    across, upward = canvas.across(left, right), canvas.upward(low, high)
    canvas.y_axis(upward)
    canvas.x_axis(across, f"{abbreviate(x, 24)} ({BETTER[goals.objectives[x]]})")
    canvas.text(8, 15, f"{abbreviate(y, 24)} ({BETTER[goals.objectives[y]]})", "panel", "start")
    on_front = {row.number for row in front}
    if alone:
        ordered = sorted(front, key=lambda row: sign_of(goals.objectives[x]) * _number(row, x))
        canvas.steps([_place(row, pair, across, upward) for row in ordered], "best")
    for row in sorted(known, key=lambda row: row.number in on_front):
        kind = "found" if row.number in on_front else "violating" if goals.limits and not row.feasible else "initial"
        canvas.dot(*_place(row, pair, across, upward), kind, look.tip(row), 4.0 if kind == "found" else 3.2)
    return canvas.svg


def _outcome(row: TrialRow, name: str) -> float | None:
    return None if row.outcomes is None else row.outcomes.get(name)


def _number(row: TrialRow, name: str) -> float:
    value = _outcome(row, name)
    return 0.0 if value is None else value


def _range(rows: Sequence[TrialRow], front: Sequence[TrialRow], name: str, direction: Direction) -> tuple[float, float]:
    """Return the range of an objective's axis: it holds the whole front, and other trials without outliers."""
    usual = without_outliers([_number(row, name) for row in rows], direction, 1.6)
    return padded_range([*usual, *(_number(row, name) for row in front)])


def _place(row: TrialRow, pair: tuple[str, str], across: Scale, upward: Scale) -> tuple[float, float]:
    x, y = (_number(row, name) for name in pair)
    return across(across.clip(x)), upward(upward.clip(y))


def hypervolume(rows: Sequence[TrialRow], goals: Goals, best: Sequence[TrialRow] = (), look: Look = ON_SCREEN) -> Markup:
    """Draw the hypervolume of the front after each trial; in a noisy run by the predicted means of the rows in `best`."""
    inside = [row for row in complete(rows) if not row.outside]
    if any(row.means is not None for row in best):
        means = {row.number: row.means for row in best}
        inside = [replace(row, outcomes={**dict.fromkeys(goals.order), **(means.get(row.number) or {})}) for row in inside]
        goals = replace(goals, limits={})
    if goals.single or not front_of(inside, goals):
        return Markup()
    volumes = hypervolumes(inside, goals)
    high = (max(volumes) or 1.0) * 1.06
    canvas = Canvas(look.width, 240, "hypervolume of the front, by trial", left=label_width(0.0, high), tips=look.tips)
    across, upward = trial_scale(canvas, rows), canvas.upward(0.0, high)
    canvas.y_axis(upward)
    canvas.x_axis(across, "trial", whole=True)
    draw_restarts(canvas, rows, across)
    points = [(across(row.number), upward(volume)) for row, volume in zip(inside, volumes, strict=True)]
    canvas.steps(points, "best")
    canvas.dot(*points[-1], "level", f"after trial {inside[-1].number}: {volumes[-1]:.6g}")
    return canvas.svg


def limits(rows: Sequence[TrialRow], goals: Goals, look: Look = ON_SCREEN) -> Markup:
    """Draw every limited outcome by trial, with its bound as a line."""
    found = []
    for name, text in goals.limits.items():
        done = [row for row in complete(rows) if _outcome(row, name) is not None]
        if done:
            found.append(_limit(rows, done, name, text, look))
    return Markup().join(found)


def _limit(rows: Sequence[TrialRow], done: Sequence[TrialRow], name: str, text: str, look: Look) -> Markup:
    relation, bound = parsed_limit(text)
    towards: Direction = "minimize" if relation == "<=" else "maximize"
    low, high = padded_range([*without_outliers([_number(row, name) for row in done], towards, 1.6), bound])
    canvas = Canvas(look.width, 200, f"{name} by trial", left=label_width(low, high), top=24, tips=look.tips)
    across, upward = trial_scale(canvas, rows), canvas.upward(low, high)
    canvas.y_axis(upward)
    canvas.x_axis(across, "trial", whole=True)
    met = [row for row in done if sign_of(towards) * _number(row, name) <= sign_of(towards) * bound]
    canvas.text(8, 14, f"{abbreviate(name, 24)} {text}: met by {len(met)} of {len(done)}", "panel", "start")
    canvas.path([(canvas.left, upward(bound)), (canvas.width - canvas.right, upward(bound))], "bound", tip=f"{name} {text}")
    numbers = {row.number for row in met}
    for row in done:
        value = upward.clip(_number(row, name))
        canvas.dot(across(row.number), upward(value), "met" if row.number in numbers else "violating", look.tip(row))
    return canvas.svg
