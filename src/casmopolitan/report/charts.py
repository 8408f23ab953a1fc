"""The charts of a report over the trials, as SVG: values with the best so far, and the trust region."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from casmopolitan.analysis.convergence import is_design, running_best, without_outliers
from casmopolitan.analysis.lengths import Part, Segment, restarts, segments
from casmopolitan.analysis.row import TrialRow, valued
from casmopolitan.formatting import abbreviate
from casmopolitan.goals import Goals, outcome_text
from casmopolitan.report.svg import Canvas, Scale, label_width, padded_range
from casmopolitan.trial import Direction

MOST_NAMES = 12
"""Variables in a tooltip."""
WIDE, NARROW = 620.0, 360.0
"""Widths of a chart: on a screen, and on a telephone."""
BETTER: dict[Direction, str] = {"minimize": "smaller is better", "maximize": "larger is better"}
PANELS: dict[Part, str] = {"radius": "radius: choices that may change", "length": "side: width of the box of numbers"}


class Look(NamedTuple):
    """How charts are drawn: the variables of tooltips, the most relevant first, and the width."""

    order: Sequence[str] = ()
    width: float = WIDE

    @property
    def tips(self) -> bool:
        """Whether marks have tooltips: telephones do not show them."""
        return self.width > NARROW

    def tip(self, row: TrialRow) -> str:
        """Return the tooltip of a trial; it says how many variables it leaves out."""
        outcome = row.error or "failed" if row.told is None else outcome_text(row.told)
        own = row.configuration
        names = [*(name for name in self.order if name in own), *(name for name in own if name not in self.order)]
        lines = [f"{name} = {abbreviate(own[name], 30)}" for name in names[:MOST_NAMES]]
        more = [f"… {len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else []
        return "\n".join([f"trial {row.number}: {outcome}", *lines, *more])


ON_SCREEN = Look()


def convergence(
    rows: Sequence[TrialRow],
    goals: Goals,
    look: Look = ON_SCREEN,
    predicted: Mapping[int, float] | None = None,
    baseline: float | None = None,
) -> Markup:
    """Draw every value by trial and the best so far as a line; initial points are hollow, failures are crosses.

    Trials that violate a limit, or may violate one, have their own mark and are never the best. In a noisy run the line is that
    of the predicted means, `predicted` by number: it ends at the mean of the best trial, not at the luckiest value. A dashed
    line is the `baseline`.
    """
    done, direction = valued(rows), goals.direction
    if not done:
        return Markup()
    best = _best_so_far(rows, goals, predicted)
    shown = without_outliers([row.result for row in done], direction, 1.6)
    shown += [value for value in best if value is not None] if predicted else []
    low, high = padded_range([*shown, *([] if baseline is None else [baseline])])
    height = 312 if look.tips else 250
    canvas = Canvas(
        look.width, height, "values and the best so far, by trial", left=label_width(low, high), top=24, tips=look.tips
    )
    across, upward = trial_scale(canvas, rows), canvas.upward(low, high)
    canvas.y_axis(upward)
    canvas.x_axis(across, "trial", whole=True)
    canvas.text(8, 14, f"{abbreviate(goals.order[0], 30)} ({BETTER[direction]})", "panel", "start")
    draw_restarts(canvas, rows, across)
    if baseline is not None:
        level = upward(baseline)
        canvas.path([(canvas.left, level), (canvas.width - canvas.right, level)], "bound", tip=f"baseline: {baseline:.6g}")
        canvas.text(canvas.width - canvas.right, level - 5, "baseline", "halo", "end")
    line = zip(rows, best, strict=True)
    canvas.steps([(across(row.number), upward(upward.clip(value))) for row, value in line if value is not None], "best")
    for row in done:
        value = upward.clip(row.result)
        kind = "off" if value != row.value else "initial" if is_design(row.explanation) else "found"
        kind = "violating" if goals.limits and not row.feasible and kind != "off" else kind
        canvas.dot(across(row.number), upward(value), kind, look.tip(row), 2.4 if kind == "off" else 3.2)
    for row in rows:
        if row.state == "failed":
            canvas.cross(across(row.number), canvas.base - 6, look.tip(row))
    return canvas.svg


def _best_so_far(rows: Sequence[TrialRow], goals: Goals, predicted: Mapping[int, float] | None) -> list[float | None]:
    """Return the best value up to each trial, or in a noisy run the best predicted mean."""
    if not predicted:
        return running_best([row.trial for row in rows], goals.direction, limited=bool(goals.limits))
    pick, found, best = min if goals.direction == "minimize" else max, [], None
    for row in rows:
        if (mean := predicted.get(row.number)) is not None:
            best = mean if best is None else pick(best, mean)
        found.append(best)
    return found


def trial_scale(canvas: Canvas, rows: Sequence[TrialRow]) -> Scale:
    """Return the horizontal scale of the numbers of trials."""
    return canvas.across(-0.5, max(row.number for row in rows) + 0.5)


def draw_restarts(canvas: Canvas, rows: Sequence[TrialRow], across: Scale) -> None:
    """Draw a dashed line at the start of each new region."""
    for number in restarts([row.trial for row in rows]):
        x = across(number - 0.5)
        canvas.path([(x, canvas.top), (x, canvas.base)], "restart", tip=f"new region from trial {number}")


def trust_region(rows: Sequence[TrialRow], look: Look = ON_SCREEN) -> Markup:
    """Draw the lengths of the trust region over the trials as low strips; a length that never changed is not drawn."""
    found = {part: segments([row.trial for row in rows], part) for part in PANELS}
    return Markup().join(_strip(rows, part, found[part], look) for part in PANELS if _changed(found[part]))


def constant_lengths(rows: Sequence[TrialRow]) -> str:
    """Return a sentence on those lengths of the trust region that never changed; empty if there are none."""
    found = {part: segments([row.trial for row in rows], part) for part in PANELS}
    names = {"radius": "radius", "length": "side"}
    kept = {names[part]: next(iter(one[0].sizes.values())) for part, one in found.items() if one and not _changed(one)}
    if not kept:
        return ""
    return f"Unchanged so far: {' and '.join(f'the {name}, {size:.4g}' for name, size in kept.items())}."


def _changed(found: Sequence[Segment]) -> bool:
    return len({size for segment in found for size in segment.sizes.values()}) > 1


def _strip(rows: Sequence[TrialRow], part: Part, found: Sequence[Segment], look: Look) -> Markup:
    canvas = Canvas(look.width, 92, PANELS[part], top=22, bottom=20, tips=look.tips)
    across, log = trial_scale(canvas, rows), part == "length"
    sizes = [size for segment in found for size in segment.sizes.values()]
    upward = canvas.upward(min(sizes) / 1.3 if log else 0.0, max(sizes) * (1.3 if log else 1.15), log=log)
    for size in sorted({min(sizes), max(sizes)}):
        canvas.line(canvas.left, upward(size), canvas.width - canvas.right, upward(size), "grid")
        if size == max(sizes) or upward(size) - upward(max(sizes)) >= 12:
            canvas.text(canvas.left - 6, upward(size) + 3.5, f"{size:.3g}", anchor="end")
    canvas.line(canvas.left, canvas.base, canvas.width - canvas.right, canvas.base, "axis")
    canvas.x_ticks(across.ticks(6, whole=True), across)
    canvas.text(8, 13, PANELS[part], "panel", "start")
    draw_restarts(canvas, rows, across)
    for segment in found:
        canvas.steps([(across(number), upward(size)) for number, size in segment.sizes.items()], "size")
        for number, happening in segment.changes.items():
            canvas.dot(across(number), upward(segment.sizes[number]), happening, f"trial {number}: it {happening}", 4)
    return canvas.svg
