"""The best trials side by side: lines across parallel axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from markupsafe import Markup

from casmopolitan.analysis.row import TrialRow
from casmopolitan.formatting import abbreviate, significant_digits
from casmopolitan.goals import Goals
from casmopolitan.report.charts import Look
from casmopolitan.report.svg import USUAL, Canvas, Scale, letters
from casmopolitan.space import Categorical, Integer, Ordinal, Space, Variable
from casmopolitan.trial import Direction

MOST_AXES = 12
"""Variables side by side in one chart; more would be unreadable."""
MOST_LINES = 24
"""Trials side by side in one chart."""


def side_by_side(best_first: Sequence[TrialRow], space: Space, names: Sequence[str], goals: Goals) -> Markup:
    """Draw the best trials as lines across parallel axes, objectives last: the best strongest, those of a front all alike.

    `names` are the variables, the most relevant first. In a noisy run the objectives are the predicted means.
    """
    best = best_first[:MOST_LINES]
    shown, look = names[:MOST_AXES], Look(names)
    if len(best) < 2 or not shown:
        return Markup()
    ends = _ends(best, goals)
    width, count = max(960, 96 * (len(shown) + len(ends))), len(shown) + len(ends) - 1
    digits = max(max(significant_digits(values) - 2, 4) for values in ends.values())
    right = 16 + USUAL * max(len(f"{value:.{digits}g}") for values in ends.values() for value in values)
    canvas = Canvas(width, 344, "the best trials side by side", left=60, right=max(right, 60), top=44, bottom=20)
    apart = (width - canvas.left - canvas.right) / count
    xs = [canvas.left + k * apart for k in range(count + 1)]
    axes = [_axis(canvas, space[name]) for name in shown]
    scales = [_goal_scale(canvas, values, way) for values, way in zip(ends.values(), goals.objectives.values(), strict=True)]
    crowded = max(map(len, [*shown, *ends])) > letters(apart - 8)
    for k, (x, name) in enumerate(zip(xs, [*shown, *ends], strict=True)):
        canvas.line(x, canvas.top, x, canvas.base, "axis")
        room = min(letters((2 if crowded else 1) * apart - 8), letters(2 * min(x, width - x)))
        canvas.text(x, 16 + 16 * (crowded and k % 2), abbreviate(name, room), "panel" if name in ends else "name")
    for x, values, scale in zip(xs[len(shown) :], ends.values(), scales, strict=True):
        for value in {min(values), max(values)}:
            canvas.text(x + 6, scale(value) + 3.5, f"{value:.{digits}g}", "halo", "start")
    for rank, row in reversed(list(enumerate(best))):
        placed = zip(xs, shown, axes, strict=False)
        points = [(x, place(row.configuration[name])) for x, name, (place, _) in placed if name in row.configuration]
        points += [(x, scale(v[rank])) for x, scale, v in zip(xs[len(shown) :], scales, ends.values(), strict=True)]
        kind, strength = ("strand first", 1.0) if rank == 0 else ("strand", 0.75 - 0.6 * rank / len(best))
        if not goals.single:
            kind, strength = "strand", 0.6
        canvas.path(points, kind, tip=look.tip(row), strength=strength)
    for x, (place, labelled) in zip(xs, axes, strict=False):
        for value in labelled:
            canvas.text(x + 5, place(value) + 3.5, abbreviate(value, letters(apart - 10)), "halo", "start")
    return canvas.svg


def _ends(rows: Sequence[TrialRow], goals: Goals) -> dict[str, list[float]]:
    """Return the objectives of the rows, which all have them; the predicted means in a noisy run."""
    if not goals.single:
        told = [row.means or row.outcomes or {} for row in rows]
        return {name: [float(one.get(name) or 0.0) for one in told] for name in goals.objectives}
    if all(row.predicted is not None for row in rows):
        return {f"model's {'mean' if not goals.named else goals.order[0]}": [row.predicted or 0.0 for row in rows]}
    return {goals.order[0]: [row.result for row in rows]}


def _goal_scale(canvas: Canvas, values: Sequence[float], direction: Direction) -> Scale:
    """Return the vertical scale of an objective, the best value on top."""
    low, high = min(values), max(values)
    return canvas.upward(high, low) if direction == "minimize" else canvas.upward(low, high)


def _axis(canvas: Canvas, variable: Variable) -> tuple[Callable[[Any], float], Sequence[Any]]:
    """Return the position of a variable's values on a vertical axis, and the values that are labelled."""
    if isinstance(variable, Categorical | Ordinal):
        choices = variable.choices if isinstance(variable, Categorical) else variable.values
        level = {(type(choice), choice): k for k, choice in enumerate(choices)}
        upward = canvas.upward(-0.5, len(choices) - 0.5)
        return lambda value: upward(level[type(value), value]), choices[:: 1 + len(choices) // 13]
    upward = canvas.upward(float(variable.low), float(variable.high), log=variable.log)
    return lambda value: upward(float(value)), upward.ticks(5, whole=isinstance(variable, Integer))
