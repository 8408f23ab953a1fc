"""The charts of a report's model: predictions around the best point, and those of trials that the model has not seen."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from markupsafe import Markup

from casmopolitan.analysis.check import ModelCheck
from casmopolitan.analysis.convergence import without_outliers
from casmopolitan.analysis.pairs import Pair
from casmopolitan.analysis.slices import Slice
from casmopolitan.formatting import abbreviate
from casmopolitan.report.charts import ON_SCREEN, Look
from casmopolitan.report.svg import USUAL, Canvas, Scale, label_width, letters, padded_range
from casmopolitan.space import Integer, Real, Variable
from casmopolitan.trial import Direction

DOUBTFUL = 0.5
"""Points with a smaller chance of success are marked."""
LIKELY = 0.95
"""The chance of success is shown if it is smaller at any point of a chart."""
SLICE = 300.0
"""The width of a chart of one variable."""
LONGEST = 18
"""Letters of a tilted label."""
MOST_SAID = 20
"""Cells of a heat map with their numbers; the others have tooltips."""
MOST_TICKS = 7
"""Labels along one side of a heat map."""


class _Labels(NamedTuple):
    """The labels of choices below a chart: in one row, in two by turns, or tilted, whatever shows most of them."""

    texts: list[str]
    left: float
    bottom: float
    kind: Literal["row", "turns", "tilted"]

    @classmethod
    def of(cls, values: Sequence[Any], left: float) -> _Labels:
        texts = [abbreviate(value, 99) for value in values]
        room, longest = (SLICE - 12 - left) / (len(values) + 0.2), max(map(len, texts))
        if USUAL * longest + 4 <= room:
            return cls(texts, left, 26, "row")
        if USUAL * longest + 4 <= 2 * room and len(values) <= 4:
            return cls(texts, left, 40, "turns")
        texts = [abbreviate(value, LONGEST) for value in values]
        longest = max(map(len, texts))
        return cls(texts, max(left, 0.85 * USUAL * longest - 0.6 * room), 22 + 0.53 * USUAL * longest, "tilted")

    def draw(self, canvas: Canvas, k: int, x: float) -> None:
        y, half = canvas.base + 13 + 13 * (self.kind == "turns" and k % 2), USUAL * len(self.texts[k]) / 2
        if self.kind == "tilted":
            canvas.text(x, y, self.texts[k], anchor="end", turn=f"rotate(-32 {x:.1f} {y:.1f})")
        else:
            canvas.text(min(max(x, half), canvas.width - half), y, self.texts[k])


def prediction(
    along: Slice,
    variable: Variable,
    seen: tuple[float, float] = (-math.inf, math.inf),
    chances: Sequence[float] | None = None,
) -> Markup:
    """Draw the predictions along one variable, the best point as a ring, and the chance of success if it is in doubt.

    Predictions that lie outside the range `seen` by more than its width are drawn at the edge of the chart.
    """
    values, apart, numeric = along.values, seen[1] - seen[0], isinstance(variable, Integer | Real)
    limits = Scale(seen[0] - apart, seen[1] + apart, 0, 1) if math.isfinite(apart) else Scale(-math.inf, math.inf, 0, 1)
    means = [limits.clip(m) for m in along.mean]
    bands = [tuple(limits.clip(m + side * d) for side in (-2, 2)) for m, d in zip(along.mean, along.deviation, strict=True)]
    low, high = padded_range([bound for band in bands for bound in band])
    labels = () if numeric else _Labels.of(values, max(50.0, label_width(low, high)))
    left, bottom = (labels.left, labels.bottom) if labels else (max(50.0, label_width(low, high)), 26.0)
    canvas = Canvas(SLICE, 164 + bottom, f"prediction along {along.name}", left=left, right=12, top=24, bottom=bottom)
    canvas.text(8, 14, abbreviate(along.name, 44), "panel", "start")
    upward = canvas.upward(low, high)
    canvas.y_axis(upward)
    known = chances if chances is not None and min(chances) < LIKELY else [1.0] * len(values)
    if numeric:
        across = canvas.across(float(values[0]), float(values[-1]), log=variable.log)  # type: ignore[union-attr]
        xs = [across(float(value)) for value in values]
        canvas.x_ticks(across.ticks(4, whole=isinstance(variable, Integer)), across)
        above = [(x, upward(top)) for x, (_, top) in zip(xs, bands, strict=True)]
        below = [(x, upward(bottom)) for x, (bottom, _) in zip(xs, bands, strict=True)]
        canvas.path([*above, *reversed(below)], "band", closed=True)
        canvas.path([(x, upward(m)) for x, m in zip(xs, means, strict=True)], "best")
        edges = [xs[0], *((a + b) / 2 for a, b in pairwise(xs)), xs[-1]]
    else:
        across = canvas.across(-0.6, len(values) - 0.4)
        xs = [across(k) for k in range(len(values))]
        edges = [across(k - 0.5) for k in range(len(values) + 1)]
        for k, (x, value) in enumerate(zip(xs, values, strict=True)):
            kind = "level" if known[k] >= DOUBTFUL else "doubtful"
            doubt = f", chance of success {known[k]:.0%}" if known[k] < LIKELY else ""
            canvas.line(x, upward(bands[k][0]), x, upward(bands[k][1]), "whisker")
            canvas.dot(x, upward(means[k]), kind, f"{value}: {along.mean[k]:.4g} ± {2 * along.deviation[k]:.2g}{doubt}")
            if known[k] < LIKELY and len(values) <= MOST_TICKS:
                canvas.text(x, canvas.top + 2, f"{known[k]:.0%}", "doubt")
            if labels:
                labels.draw(canvas, k, x)
    for k, chance in enumerate(known):
        if chance < LIKELY:
            start, end = edges[k], edges[k + 1]
            canvas.tile(start, canvas.base - 7, end - start, 7, "risk", 1 - chance, f"chance of success {chance:.0%}")
    here = _place(values, along.at)
    canvas.dot(xs[here], upward(means[here]), "here", f"the best point: {along.name} = {along.at}", 4.5)
    canvas.line(canvas.left, canvas.base, canvas.width - canvas.right, canvas.base, "axis")
    return canvas.svg


def _place(values: Sequence[Any], at: Any) -> int:
    return next(k for k, value in enumerate(values) if type(value) is type(at) and value == at)


def heat_map(
    pair: Pair, direction: Direction, look: Look = ON_SCREEN, chances: Mapping[tuple[int, int], float] | None = None
) -> Markup:
    """Draw the predicted means over two variables, the best point as a ring; the better, the stronger the colour.

    The first variable goes up, the second to the right. A cell with a small chance of success has a cross. Combinations that
    the space does not allow are empty.
    """
    (up, right), (rows, columns) = pair.names, pair.values
    known = [mean for line in pair.mean for mean in line if mean is not None]
    low, high = min(known), max(known)
    upward_labels = [abbreviate(value, LONGEST) for value in rows]
    left = 14 + USUAL * max(map(len, upward_labels))
    canvas = Canvas(look.width, 320, f"prediction of {up} and {right}", left=left, top=24, bottom=38, tips=look.tips)
    across, climb = canvas.across(0, len(columns)), canvas.upward(0, len(rows))
    canvas.text(8, 14, abbreviate(up, 40), "panel", "start")
    best, worst = (low, high) if direction == "minimize" else (high, low)
    canvas.text(canvas.width - canvas.right, 14, f"strong {best:.4g}, faint {worst:.4g}", anchor="end")
    canvas.text((canvas.left + canvas.width - canvas.right) / 2, canvas.height - 5, abbreviate(right, 60), "panel")
    width, height = across(1) - across(0), climb(0) - climb(1)
    at = _place(rows, pair.at[0]), _place(columns, pair.at[1])
    said = width >= 7 * USUAL and len(rows) * len(columns) <= MOST_SAID
    for i, line in enumerate(pair.mean):
        for k, mean in enumerate(line):
            if mean is None:
                continue
            share = (mean - low) / (high - low) if high > low else 0.5
            strength = 0.08 + 0.84 * (1 - share if direction == "minimize" else share)
            chance = 1.0 if chances is None else chances[i, k]
            doubt = f", chance of success {chance:.0%}" if chance < LIKELY else ""
            text = f"{up} = {abbreviate(rows[i], 30)}, {right} = {abbreviate(columns[k], 30)}: {mean:.4g}"
            text += f" ± {2 * (pair.deviation[i][k] or 0.0):.2g}{doubt}"
            canvas.tile(across(k), climb(i + 1), width, height, "heat", strength, text)
            if chance < DOUBTFUL:
                canvas.cross(across(k + 0.5), climb(i + 0.5), text)
            elif said and (i, k) != at:
                canvas.text(across(k + 0.5), climb(i + 0.5) + 4, f"{mean:.4g}", "halo")
    for i in _labelled(len(rows), MOST_TICKS):
        canvas.text(canvas.left - 6, climb(i + 0.5) + 3.5, upward_labels[i], anchor="end")
    most = max(2, int((canvas.width - left) / (USUAL * (2 + max(len(abbreviate(value, LONGEST)) for value in columns)))))
    for k in _labelled(len(columns), min(most, MOST_TICKS)):
        canvas.text(across(k + 0.5), canvas.base + 14, abbreviate(columns[k], letters(width * len(columns) / most)))
    canvas.dot(across(at[1] + 0.5), climb(at[0] + 0.5), "here", "the best point", 5.5)
    return canvas.svg


def _labelled(count: int, most: int) -> range:
    """Return which of many rows are labelled."""
    return range(0, count, math.ceil(count / max(most, 1)))


def checked(check: ModelCheck, direction: Direction, look: Look = ON_SCREEN) -> Markup:
    """Draw the prediction of each trial, by a model without it, against its value; a good model is near the diagonal."""
    usual = [*without_outliers(check.seen, direction, 1.6), *without_outliers(check.mean, direction, 1.6)]
    low, high = padded_range(usual)
    size = 300 if look.tips else 260
    canvas = Canvas(look.width, size, "predictions of trials that the model has not seen", left=label_width(low, high), top=24)
    canvas.tips = look.tips
    across, upward = canvas.across(low, high), canvas.upward(low, high)
    canvas.y_axis(upward)
    canvas.x_axis(across, "value")
    canvas.text(8, 14, "predicted without the trial", "panel", "start")
    canvas.path([(across(low), upward(low)), (across(high), upward(high))], "bound")
    for value, mean, deviation in zip(check.seen, check.mean, check.deviation, strict=True):
        x, ends = across(across.clip(value)), [upward(upward.clip(mean + side * deviation)) for side in (-2, 2)]
        canvas.line(x, ends[0], x, ends[1], "whisker thin")
        inside = value == across.clip(value) and mean == upward.clip(mean)
        text = f"value {value:.6g}, predicted {mean:.4g} ± {2 * deviation:.2g}"
        canvas.dot(x, upward(upward.clip(mean)), "level" if inside else "off", text, 3.2 if inside else 2.4)
    return canvas.svg
