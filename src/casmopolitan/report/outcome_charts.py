"""The charts of a report with several objectives or limits: the front, its hypervolume, and every limited outcome."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from markupsafe import Markup

from casmopolitan.analysis.convergence import without_outliers
from casmopolitan.analysis.front import front_of, hypervolumes
from casmopolitan.analysis.row import TrialRow, complete
from casmopolitan.formatting import abbreviate
from casmopolitan.goals import Goals, parsed_limit
from casmopolitan.report.charts import draw_restarts, tip, trial_scale
from casmopolitan.report.svg import Canvas, Scale, label_width, padded_range
from casmopolitan.trial import Direction, sign_of

MOST_OBJECTIVES = 4
"""Objectives that are drawn in pairs; more would give too many charts."""
BETTER: dict[Direction, str] = {"minimize": "smaller is better", "maximize": "larger is better"}


def pareto_front(rows: Sequence[TrialRow], goals: Goals, front: Sequence[TrialRow]) -> list[Markup]:
    """Draw the trials for every pair of objectives: those on the front, dominated ones, and those that violate a limit."""
    if goals.single or not front:
        return []
    pairs = list(combinations(list(goals.objectives)[:MOST_OBJECTIVES], 2))
    return [_plane(rows, goals, front, pair, alone=len(pairs) == 1) for pair in pairs]


def _plane(rows: Sequence[TrialRow], goals: Goals, front: Sequence[TrialRow], pair: tuple[str, str], *, alone: bool) -> Markup:
    x, y = pair
    known = [row for row in complete(rows) if _outcome(row, x) is not None and _outcome(row, y) is not None]
    (left, right), (low, high) = (_range(known, front, name, goals.objectives[name]) for name in pair)
    size = (620.0, 340.0) if alone else (420.0, 280.0)
    canvas = Canvas(*size, f"{y} against {x}", left=max(50.0, label_width(low, high)), top=26)
    across, upward = canvas.across(left, right), canvas.upward(low, high)
    canvas.y_axis(upward)
    canvas.x_axis(across, f"{abbreviate(x, 24)} ({BETTER[goals.objectives[x]]})")
    canvas.text(canvas.left, 15, f"{abbreviate(y, 24)} ({BETTER[goals.objectives[y]]})", "panel", "start")
    on_front = {row.number for row in front}
    if alone:
        ordered = sorted(front, key=lambda row: sign_of(goals.objectives[x]) * _number(row, x))
        canvas.steps([_place(row, pair, across, upward) for row in ordered], "best")
    for row in sorted(known, key=lambda row: row.number in on_front):
        kind = "found" if row.number in on_front else "violating" if goals.limits and not row.feasible else "initial"
        canvas.dot(*_place(row, pair, across, upward), kind, tip(row), 4.0 if kind == "found" else 3.2)
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


def hypervolume(rows: Sequence[TrialRow], goals: Goals) -> Markup:
    """Draw the hypervolume of the front after each trial."""
    inside = [row for row in complete(rows) if not row.outside]
    if goals.single or not front_of(inside, goals):
        return Markup()
    volumes = hypervolumes(inside, goals)
    high = (max(volumes) or 1.0) * 1.06
    canvas = Canvas(620, 240, "hypervolume of the front, by trial", left=label_width(0.0, high))
    across, upward = trial_scale(canvas, rows), canvas.upward(0.0, high)
    canvas.y_axis(upward)
    canvas.x_axis(across, "trial", whole=True)
    draw_restarts(canvas, rows, across)
    points = [(across(row.number), upward(volume)) for row, volume in zip(inside, volumes, strict=True)]
    canvas.steps(points, "best")
    canvas.dot(*points[-1], "level", f"after trial {inside[-1].number}: {volumes[-1]:.6g}")
    return canvas.svg


def limits(rows: Sequence[TrialRow], goals: Goals) -> list[Markup]:
    """Draw every limited outcome by trial, with its bound as a line."""
    found = []
    for name, text in goals.limits.items():
        done = [row for row in complete(rows) if _outcome(row, name) is not None]
        if done:
            found.append(_limit(rows, done, name, text))
    return found


def _limit(rows: Sequence[TrialRow], done: Sequence[TrialRow], name: str, text: str) -> Markup:
    relation, bound = parsed_limit(text)
    towards: Direction = "minimize" if relation == "<=" else "maximize"
    low, high = padded_range([*without_outliers([_number(row, name) for row in done], towards, 1.6), bound])
    canvas = Canvas(620, 200, f"{name} by trial", left=label_width(low, high), top=24)
    across, upward = trial_scale(canvas, rows), canvas.upward(low, high)
    canvas.y_axis(upward)
    canvas.x_axis(across, "trial", whole=True)
    met = [row for row in done if sign_of(towards) * _number(row, name) <= sign_of(towards) * bound]
    canvas.text(canvas.left, 14, f"{abbreviate(name, 24)} {text}: met by {len(met)} of {len(done)}", "panel", "start")
    canvas.path([(canvas.left, upward(bound)), (canvas.width - canvas.right, upward(bound))], "bound", tip=f"{name} {text}")
    numbers = {row.number for row in met}
    for row in done:
        value = upward.clip(_number(row, name))
        canvas.dot(across(row.number), upward(value), "met" if row.number in numbers else "violating", tip(row))
    return canvas.svg
