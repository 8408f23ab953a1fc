"""The pictures of a report, drawn from rows: values, regions, relevance, what the model predicts, the best side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from casmopolitan.formatting import abbreviate, significant_digits
from casmopolitan.plots.series import confined, events, near, running_best
from casmopolitan.space import Categorical, Integer, Ordinal, Real, Space, Variable
from casmopolitan.study.report.svg import Canvas, Scale, escaped, room, spread
from casmopolitan.study.trials.row import TrialRow, complete
from casmopolitan.trial import Direction

MOST_AXES = 12
"""Variables side by side in one picture; more would be unreadable."""


def restarts(canvas: Canvas, rows: Sequence[TrialRow], across: Scale) -> None:
    """A dashed line where each new region begins."""
    for event in events([row.trial for row in rows]):
        if event.happening == "restarted":
            x = across(event.number - 0.5)
            canvas.add(f'<g><title>new region from trial {event.number}</title><path d="M{x:.1f} {canvas.top} V')
            canvas.marks[-1] += f'{canvas.height - canvas.bottom:.1f}" class="restart"/></g>'


def convergence(rows: Sequence[TrialRow], direction: Direction) -> str:
    """Every value by trial, the best so far as a line; initial points hollow, failures crossed."""
    done = complete(rows)
    if not done:
        return ""
    values = [row.value for row in done if row.value is not None]
    low, high = spread(near(values, direction, 1.6))
    canvas = Canvas(620, 300, "values and the best so far, by trial", left=room(low, high))
    across = canvas.across(-0.5, max(row.number for row in rows) + 0.5)
    upward = canvas.upward(low, high)
    canvas.y_axis(upward)
    canvas.x_axis(across, "trial", whole=True)
    restarts(canvas, rows, across)
    best = zip(rows, running_best([row.trial for row in rows], direction), strict=True)
    inside = [(row, min(max(value, upward.low), upward.high)) for row, value in best if value is not None]
    canvas.steps([(across(row.number), upward(value)) for row, value in inside], "best")
    for row in done:
        value = min(max(row.result, upward.low), upward.high)
        kind = "off" if value != row.value else "initial" if designed(row) else "found"
        canvas.dot(across(row.number), upward(value), kind, tip(row), 2.4 if kind == "off" else 3.2)
    for row in rows:
        if row.state == "failed":
            canvas.cross(across(row.number), canvas.height - canvas.bottom - 6, tip(row))
    return canvas.text


def designed(row: TrialRow) -> bool:
    """Whether a trial came from a design, or from outside, rather than from the model."""
    return row.explanation.get("source") not in ("acquisition", "global", "fallback")


def tip(row: TrialRow) -> str:
    """What a mark says when pointed at."""
    outcome = row.error or "failed" if row.value is None else f"{row.value:.6g}"
    names = [f"{name} = {abbreviate(value, 30)}" for name, value in list(row.configuration.items())[:MOST_AXES]]
    return "\n".join([f"trial {row.number}: {outcome}", *names])


def regions(rows: Sequence[TrialRow]) -> str:
    """The lengths of the trust region over the trials, one panel a part."""
    suggested = [row for row in rows if confined(row.explanation)]
    parts = {"radius": "Hamming radius (choices that may change)", "length": "side of the box (numbers)"}
    shown = [part for part in parts if any(row.explanation.get(part) is not None for row in suggested)]
    return "".join(_lengths(rows, suggested, part, parts[part]) for part in shown)


def _lengths(rows: Sequence[TrialRow], suggested: Sequence[TrialRow], part: str, name: str) -> str:
    canvas = Canvas(620, 190, name, top=24)
    across = canvas.across(-0.5, max(row.number for row in rows) + 0.5)
    sizes = {row.number: float(row.explanation[part]) for row in suggested if row.explanation.get(part) is not None}
    log = part == "length"
    low, high = (min(sizes.values()) / 1.3, max(sizes.values()) * 1.3) if log else (0.0, max(sizes.values()) * 1.12)
    upward = canvas.upward(low, high, log=log)
    canvas.y_axis(upward, whole=not log)
    canvas.x_axis(across, "trial", whole=True)
    canvas.words(canvas.left, 14, name, "panel", "start")
    restarts(canvas, rows, across)
    happened = {event.number: event.happening for event in events([row.trial for row in rows])}
    for region in sorted({row.explanation.get("region", 0) for row in suggested}):
        inside = [row.number for row in suggested if row.explanation.get("region", 0) == region and row.number in sizes]
        canvas.steps([(across(number), upward(sizes[number])) for number in inside], "size")
        last = sizes[inside[0]] if inside else 0.0
        for number in inside:
            if happened.get(number) in ("grew", "shrank") and sizes[number] != last:
                canvas.dot(across(number), upward(sizes[number]), happened[number], f"trial {number}: it {happened[number]}", 4)
            last = sizes[number]
    return canvas.text


def relevance(relevances: Mapping[str, float]) -> str:
    """A bar a variable, the most relevant first."""
    top = sorted(relevances.items(), key=lambda item: -item[1])[:20]
    if not top:
        return ""
    canvas = Canvas(620, 26 * len(top) + 8, "relevance of each variable", left=150, top=4, bottom=4)
    across = Scale(0.0, max(max(value for _, value in top), 1e-9), canvas.left, canvas.width - 56)
    for k, (name, value) in enumerate(top):
        y = 4 + 26 * k
        canvas.words(canvas.left - 8, y + 16, abbreviate(name, 20), "name", "end")
        width = max(across(value) - canvas.left, 1.0)
        canvas.add(f'<rect x="{canvas.left}" y="{y + 3}" width="{width:.1f}" height="18" rx="2" class="bar"/>')
        canvas.words(canvas.left + width + 6, y + 16, f"{value:.2g}", anchor="start")
    return canvas.text


def slice_of(variable: Variable, at: Any) -> list[Any]:
    """The values of a variable at which the model is asked, its value at the best point among them."""
    if isinstance(variable, Categorical | Ordinal):
        words = list(variable.choices if isinstance(variable, Categorical) else variable.values)
        return words if len(words) <= 24 else [*words[:23], *([] if at in words[:23] else [at])]
    if isinstance(variable, Integer):
        count = variable.count
        return [variable.at(k) for k in sorted({*(round(i * (count - 1) / 24) for i in range(25)), variable.index(at)})]
    if variable.grid is not None:
        last = variable.grid.count - 1
        return [variable.at(k) for k in sorted({*(round(i * last / 24) for i in range(25)), variable.index(at)})]
    ratio, span = variable.high / variable.low if variable.log else 1.0, variable.high - variable.low
    line = [variable.low * ratio ** (i / 32) if variable.log else variable.low + span * i / 32 for i in range(33)]
    return sorted({*(min(max(value, variable.low), variable.high) for value in line), at})


def prediction(
    name: str,
    variable: Variable,
    at: Any,
    values: Sequence[Any],
    mean: Sequence[float],
    deviation: Sequence[float],
    seen: tuple[float, float] = (-math.inf, math.inf),
) -> str:
    """What the model predicts when only this variable changes; the best point marked.

    What lies further beyond the values `seen` than they lie apart is drawn at the picture's edge.
    """
    listed = not isinstance(variable, Integer | Real)
    tilted = listed and (len(values) > 4 or max(len(abbreviate(value, 9)) for value in values) * len(values) > 30)
    apart = seen[1] - seen[0]

    def kept(value: float) -> float:
        return min(max(value, seen[0] - apart), seen[1] + apart) if math.isfinite(apart) else value

    bounds = [kept(m + side * d) for m, d in zip(mean, deviation, strict=True) for side in (-2, 2)]
    low, high = spread(bounds)
    left, bottom = max(50.0, room(low, high)), 54 if tilted else 26
    canvas = Canvas(300, 190, f"prediction along {name}", left=left, right=12, top=24, bottom=bottom)
    canvas.words(canvas.left, 14, abbreviate(name, 30), "panel", "start")
    upward = canvas.upward(low, high)
    canvas.y_axis(upward)
    if isinstance(variable, Integer | Real):
        across = canvas.across(float(values[0]), float(values[-1]), log=variable.log)
        xs = [across(float(value)) for value in values]
        canvas.x_ticks(told_ticks(variable, across, 4), across)
        above = [(x, upward(kept(m + 2 * d))) for x, m, d in zip(xs, mean, deviation, strict=True)]
        below = [(x, upward(kept(m - 2 * d))) for x, m, d in zip(xs, mean, deviation, strict=True)]
        canvas.path([*above, *reversed(below)], "band", closed=True)
        canvas.path([(x, upward(kept(m))) for x, m in zip(xs, mean, strict=True)], "best")
    else:
        across = canvas.across(-0.6, len(values) - 0.4)
        xs = [across(k) for k in range(len(values))]
        for x, value, m, d in zip(xs, values, mean, deviation, strict=True):
            canvas.line(x, upward(kept(m - 2 * d)), x, upward(kept(m + 2 * d)), "whisker")
            canvas.dot(x, upward(kept(m)), "level", f"{value}: {m:.4g} ± {2 * d:.2g}")
            y = canvas.height - canvas.bottom + 13
            turn = f' transform="rotate(-32 {x:.1f} {y:.1f})" text-anchor="end"' if tilted else ' text-anchor="middle"'
            label = abbreviate(value, 9)
            canvas.add(f'<text x="{x:.1f}" y="{y:.1f}" class="tick"{turn}>')
            canvas.marks[-1] += f"{escaped(label)}</text>"
    here = next(k for k, value in enumerate(values) if type(value) is type(at) and value == at)
    canvas.dot(xs[here], upward(kept(mean[here])), "here", f"the best point: {name} = {at}", 4.5)
    base = canvas.height - canvas.bottom
    canvas.line(canvas.left, base, canvas.width - canvas.right, base, "axis")
    return canvas.text


def side_by_side(
    best_first: Sequence[TrialRow], space: Space, names: Sequence[str], direction: Direction, most: int = 24
) -> str:
    """The best trials, all of this space, as lines across parallel axes, the best drawn last and strongest."""
    best = best_first[:most]
    if len(best) < 2 or not names:
        return ""
    width = max(620, 96 * (len(names) + 1))
    canvas = Canvas(width, 330, "the best trials side by side", left=60, right=70, top=30, bottom=20)
    values = [row.value for row in best if row.value is not None]
    goal = canvas.upward(*((max(values), min(values)) if direction == "minimize" else (min(values), max(values))))
    xs = [canvas.left + k * (width - canvas.left - canvas.right) / len(names) for k in range(len(names) + 1)]
    axes = [axis_of(canvas, space[name]) for name in names]
    for x, name in zip(xs, names, strict=False):
        canvas.line(x, canvas.top, x, canvas.height - canvas.bottom, "axis")
        canvas.words(x, 16, abbreviate(name), "name")
    canvas.line(xs[-1], canvas.top, xs[-1], canvas.height - canvas.bottom, "axis")
    canvas.words(xs[-1], 16, "value", "panel")
    for value in {values[0], values[-1]}:
        canvas.words(xs[-1] + 6, goal(value) + 3.5, f"{value:.{max(significant_digits(values) - 2, 4)}g}", anchor="start")
    for rank in reversed(range(len(best))):
        row = best[rank]
        points = [(x, place(row.configuration[name])) for x, name, (place, _) in zip(xs, names, axes, strict=False)]
        line = " L".join(f"{x:.1f} {y:.1f}" for x, y in [*points, (xs[-1], goal(row.result))])
        strength = 1.0 if rank == 0 else 0.75 - 0.6 * rank / len(best)
        kind = "strand first" if rank == 0 else "strand"
        canvas.add(
            f'<path d="M{line}" class="{kind}" style="--strength:{strength:.2f}"><title>{escaped(tip(row))}</title></path>'
        )
    for x, (place, labels) in zip(xs, axes, strict=False):
        for value, label in labels:
            canvas.words(x + 5, place(value) + 3.5, abbreviate(label, 11), "halo", "start")
    return canvas.text


def axis_of(canvas: Canvas, variable: Variable) -> tuple[Any, list[tuple[Any, Any]]]:
    """Where a variable's values stand on a vertical axis, and which are labelled."""
    if isinstance(variable, Categorical | Ordinal):
        words = list(variable.choices if isinstance(variable, Categorical) else variable.values)
        level = {(type(word), word): k for k, word in enumerate(words)}
        upward = canvas.upward(-0.5, len(words) - 0.5)
        return lambda value: upward(level[type(value), value]), [(word, word) for word in words[:: 1 + len(words) // 13]]
    upward = canvas.upward(float(variable.low), float(variable.high), log=variable.log)
    return lambda value: upward(float(value)), [(tick, tick) for tick in told_ticks(variable, upward, 5)]


def told_ticks(variable: Integer | Real, scale: Scale, most: int) -> list[float]:
    """Round numbers on a variable's scale: whole ones for an integer."""
    return [tick for tick in scale.ticks(most) if not isinstance(variable, Integer) or float(tick).is_integer()]
