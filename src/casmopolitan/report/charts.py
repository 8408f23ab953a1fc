"""The charts of a report as SVG: values, trust region, relevance, predictions, the best trials side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from casmopolitan.analysis.convergence import is_design, running_best, without_outliers
from casmopolitan.analysis.lengths import Part, Segment, restarts, segments
from casmopolitan.analysis.row import TrialRow, valued
from casmopolitan.analysis.slices import Slice
from casmopolitan.formatting import abbreviate, significant_digits
from casmopolitan.goals import Goals, outcome_text
from casmopolitan.report.svg import Canvas, Scale, label_width, padded_range
from casmopolitan.space import Categorical, Integer, Ordinal, Real, Space, Variable
from casmopolitan.trial import Direction

MOST_AXES = 12
"""Variables side by side in one chart; more would be unreadable."""
MOST_LINES = 24
"""Trials side by side in one chart."""
PANELS: dict[Part, str] = {"radius": "Hamming radius (choices that may change)", "length": "side of the box (numbers)"}


def convergence(rows: Sequence[TrialRow], goals: Goals) -> Markup:
    """Draw every value by trial and the best so far as a line; initial points are hollow, failures are crosses.

    Trials that violate a limit, or may violate one, have their own mark and are never the best.
    """
    done, direction = valued(rows), goals.direction
    if not done:
        return Markup()
    low, high = padded_range(without_outliers([row.result for row in done], direction, 1.6))
    canvas = Canvas(620, 300, "values and the best so far, by trial", left=label_width(low, high))
    across, upward = trial_scale(canvas, rows), canvas.upward(low, high)
    canvas.y_axis(upward)
    canvas.x_axis(across, "trial", whole=True)
    draw_restarts(canvas, rows, across)
    best = zip(rows, running_best([row.trial for row in rows], direction, limited=bool(goals.limits)), strict=True)
    canvas.steps([(across(row.number), upward(upward.clip(value))) for row, value in best if value is not None], "best")
    for row in done:
        value = upward.clip(row.result)
        kind = "off" if value != row.value else "initial" if is_design(row.explanation) else "found"
        kind = "violating" if goals.limits and not row.feasible and kind != "off" else kind
        canvas.dot(across(row.number), upward(value), kind, tip(row), 2.4 if kind == "off" else 3.2)
    for row in rows:
        if row.state == "failed":
            canvas.cross(across(row.number), canvas.base - 6, tip(row))
    return canvas.svg


def trial_scale(canvas: Canvas, rows: Sequence[TrialRow]) -> Scale:
    """Return the horizontal scale of the numbers of trials."""
    return canvas.across(-0.5, max(row.number for row in rows) + 0.5)


def draw_restarts(canvas: Canvas, rows: Sequence[TrialRow], across: Scale) -> None:
    """Draw a dashed line at the start of each new region."""
    for number in restarts([row.trial for row in rows]):
        x = across(number - 0.5)
        canvas.path([(x, canvas.top), (x, canvas.base)], "restart", tip=f"new region from trial {number}")


def tip(row: TrialRow) -> str:
    """Return the tooltip of a trial."""
    outcome = row.error or "failed" if row.told is None else outcome_text(row.told)
    names = [f"{name} = {abbreviate(value, 30)}" for name, value in list(row.configuration.items())[:MOST_AXES]]
    return "\n".join([f"trial {row.number}: {outcome}", *names])


def trust_region(rows: Sequence[TrialRow]) -> Markup:
    """Draw the lengths of the trust region over the trials, one panel per length."""
    found = {part: segments([row.trial for row in rows], part) for part in PANELS}
    return Markup().join(_length_panel(rows, part, found[part]) for part in PANELS if found[part])


def _length_panel(rows: Sequence[TrialRow], part: Part, found: Sequence[Segment]) -> Markup:
    canvas = Canvas(620, 190, PANELS[part], top=24)
    across, log = trial_scale(canvas, rows), part == "length"
    sizes = [size for segment in found for size in segment.sizes.values()]
    upward = canvas.upward(min(sizes) / 1.3 if log else 0.0, max(sizes) * (1.3 if log else 1.12), log=log)
    canvas.y_axis(upward, whole=not log)
    canvas.x_axis(across, "trial", whole=True)
    canvas.text(canvas.left, 14, PANELS[part], "panel", "start")
    draw_restarts(canvas, rows, across)
    for segment in found:
        canvas.steps([(across(number), upward(size)) for number, size in segment.sizes.items()], "size")
        for number, happening in segment.changes.items():
            canvas.dot(across(number), upward(segment.sizes[number]), happening, f"trial {number}: it {happening}", 4)
    return canvas.svg


def relevance(relevances: Mapping[str, float]) -> Markup:
    """Draw one bar per variable, the most relevant first."""
    top = sorted(relevances.items(), key=lambda item: -item[1])[:20]
    if not top:
        return Markup()
    canvas = Canvas(620, 26 * len(top) + 8, "relevance of each variable", left=150, top=4, bottom=4)
    across = Scale(0.0, max(top[0][1], 1e-9), canvas.left, canvas.width - 56)
    for k, (name, value) in enumerate(top):
        y, width = 4 + 26 * k, max(across(value) - canvas.left, 1.0)
        canvas.text(canvas.left - 8, y + 16, abbreviate(name, 20), "name", "end")
        bar = '<rect x="{x}" y="{y}" width="{width:.1f}" height="18" rx="2" class="bar"/>'
        canvas.add(bar, x=canvas.left, y=y + 3, width=width)
        canvas.text(canvas.left + width + 6, y + 16, f"{value:.2g}", anchor="start")
    return canvas.svg


def prediction(along: Slice, variable: Variable, seen: tuple[float, float] = (-math.inf, math.inf)) -> Markup:
    """Draw the predictions along one variable, and the best point as a ring.

    Predictions that lie outside the range `seen` by more than its width are drawn at the edge of the chart.
    """
    values, apart = along.values, seen[1] - seen[0]
    limits = Scale(seen[0] - apart, seen[1] + apart, 0, 1) if math.isfinite(apart) else Scale(-math.inf, math.inf, 0, 1)
    means = [limits.clip(m) for m in along.mean]
    bands = [tuple(limits.clip(m + side * d) for side in (-2, 2)) for m, d in zip(along.mean, along.deviation, strict=True)]
    tilted = not isinstance(variable, Integer | Real) and (
        len(values) > 4 or max(len(abbreviate(value, 9)) for value in values) * len(values) > 30
    )
    low, high = padded_range([bound for band in bands for bound in band])
    left, bottom = max(50.0, label_width(low, high)), 54 if tilted else 26
    canvas = Canvas(300, 190, f"prediction along {along.name}", left=left, right=12, top=24, bottom=bottom)
    canvas.text(canvas.left, 14, abbreviate(along.name, 30), "panel", "start")
    upward = canvas.upward(low, high)
    canvas.y_axis(upward)
    if isinstance(variable, Integer | Real):
        across = canvas.across(float(values[0]), float(values[-1]), log=variable.log)
        xs = [across(float(value)) for value in values]
        canvas.x_ticks(across.ticks(4, whole=isinstance(variable, Integer)), across)
        above = [(x, upward(top)) for x, (_, top) in zip(xs, bands, strict=True)]
        below = [(x, upward(bottom)) for x, (bottom, _) in zip(xs, bands, strict=True)]
        canvas.path([*above, *reversed(below)], "band", closed=True)
        canvas.path([(x, upward(m)) for x, m in zip(xs, means, strict=True)], "best")
    else:
        across = canvas.across(-0.6, len(values) - 0.4)
        xs = [across(k) for k in range(len(values))]
        for k, (x, value) in enumerate(zip(xs, values, strict=True)):
            canvas.line(x, upward(bands[k][0]), x, upward(bands[k][1]), "whisker")
            canvas.dot(x, upward(means[k]), "level", f"{value}: {along.mean[k]:.4g} ± {2 * along.deviation[k]:.2g}")
            y = canvas.base + 13
            turn = f"rotate(-32 {x:.1f} {y:.1f})" if tilted else ""
            canvas.text(x, y, abbreviate(value, 9), anchor="end" if tilted else "middle", turn=turn)
    here = next(k for k, value in enumerate(values) if type(value) is type(along.at) and value == along.at)
    canvas.dot(xs[here], upward(means[here]), "here", f"the best point: {along.name} = {along.at}", 4.5)
    canvas.line(canvas.left, canvas.base, canvas.width - canvas.right, canvas.base, "axis")
    return canvas.svg


def side_by_side(best_first: Sequence[TrialRow], space: Space, names: Sequence[str], goals: Goals) -> Markup:
    """Draw the best trials as lines across parallel axes, objectives last: the best strongest, those of a front all alike."""
    best = best_first[:MOST_LINES]
    if len(best) < 2 or not names:
        return Markup()
    ends = {"value": [row.result for row in best]} if goals.single else _objectives(best, goals)
    width, count = max(620, 96 * (len(names) + len(ends))), len(names) + len(ends) - 1
    canvas = Canvas(width, 330, "the best trials side by side", left=60, right=70, top=30, bottom=20)
    xs = [canvas.left + k * (width - canvas.left - canvas.right) / count for k in range(count + 1)]
    axes = [_axis(canvas, space[name]) for name in names]
    scales = [_goal_scale(canvas, values, way) for values, way in zip(ends.values(), goals.objectives.values(), strict=True)]
    for x, name in zip(xs, [*names, *ends], strict=True):
        canvas.line(x, canvas.top, x, canvas.base, "axis")
        canvas.text(x, 16, abbreviate(name), "panel" if name in ends else "name")
    for x, values, scale in zip(xs[len(names) :], ends.values(), scales, strict=True):
        digits = max(significant_digits(values) - 2, 4)
        for value in {min(values), max(values)}:
            canvas.text(x + 6, scale(value) + 3.5, f"{value:.{digits}g}", "halo", "start")
    for rank, row in reversed(list(enumerate(best))):
        placed = zip(xs, names, axes, strict=False)
        points = [(x, place(row.configuration[name])) for x, name, (place, _) in placed if name in row.configuration]
        points += [(x, scale(v[rank])) for x, scale, v in zip(xs[len(names) :], scales, ends.values(), strict=True)]
        kind, strength = ("strand first", 1.0) if rank == 0 else ("strand", 0.75 - 0.6 * rank / len(best))
        if not goals.single:
            kind, strength = "strand", 0.6
        canvas.path(points, kind, tip=tip(row), strength=strength)
    for x, (place, labelled) in zip(xs, axes, strict=False):
        for value in labelled:
            canvas.text(x + 5, place(value) + 3.5, abbreviate(value, 11), "halo", "start")
    return canvas.svg


def _objectives(rows: Sequence[TrialRow], goals: Goals) -> dict[str, list[float]]:
    """Return the values of several objectives, which all rows have."""
    return {name: [float((row.outcomes or {})[name] or 0.0) for row in rows] for name in goals.objectives}


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
