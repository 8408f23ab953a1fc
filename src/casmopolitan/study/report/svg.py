"""Pictures as SVG text: scales, ticks, axes and marks, everything escaped. No script, no style sheet of its own."""

from __future__ import annotations

import html
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from casmopolitan.formatting import abbreviate


def escaped(text: object) -> str:
    """Text that is only text wherever it stands in a page."""
    return html.escape(str(text), quote=True)


LETTER = 6.6
"""Pixels that a digit of a tick's label takes, at most."""


def labels(found: Sequence[float], *, log: bool = False) -> list[str]:
    """The ticks' labels, with as many digits as it takes to tell each from the next."""
    if log or len(found) < 2:
        return [abbreviate(float(tick)) for tick in found]
    largest, step = max(map(abs, found)), min(b - a for a, b in itertools.pairwise(found))
    power = math.floor(math.log10(step) + 1e-9)
    finer = power - (round(step / 10.0**power, 6) % 1 > 0)  # steps of 2.5 need a digit more
    if 1e-4 <= largest < 1e6:
        return [f"{tick + 0.0:.{max(0, -finer)}f}" for tick in found]
    digits = min(max(0, math.floor(math.log10(largest)) - finer), 16)
    return [f"{tick:.{digits}e}" if tick else "0" for tick in found]


def room(low: float, high: float, *, log: bool = False) -> float:
    """How much place the labels of a vertical axis from low to high take, in pixels."""
    found = log_ticks(low, high) if log else ticks(low, high, 4)
    return 14 + LETTER * max(map(len, labels(found, log=log)), default=0)


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers from low to high, at most `most` or one more."""
    if not math.isfinite(high - low) or high <= low:
        return [low]
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    return list(dict.fromkeys(k * step for k in range(first, math.floor(high / step + 1e-9) + 1)))


def log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten from low to high, and one or two other round numbers where those are few."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in ((1,), (1, 3), (1, 2, 5)):
        found = [m * 10.0**p for p in powers for m in factors if low * (1 - 1e-9) <= m * 10.0**p <= high * (1 + 1e-9)]
        if len(found) >= 3:
            return found[:: 1 + len(found) // 7]
    return found if len(found) > 1 else ticks(low, high, 4)


@dataclass(frozen=True)
class Scale:
    """From values to pixels; on a log scale where asked."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """The pixel of a value."""
        if self.high == self.low:
            return (self.start + self.end) / 2
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, most: int = 5) -> list[float]:
        """Round numbers on the scale."""
        return log_ticks(self.low, self.high) if self.log else ticks(self.low, self.high, most)


def spread(values: Sequence[float], margin: float = 0.06) -> tuple[float, float]:
    """The range of some values with a margin; never empty."""
    low, high = min(values), max(values)
    room = (high - low) * margin or abs(high) * margin or 1.0
    return (low - room, high + room) if math.isfinite(high - low + 2 * room) else (low, high)


@dataclass
class Canvas:
    """One picture under way: marks are appended, `text` is the SVG."""

    width: float
    height: float
    label: str
    left: float = 52
    right: float = 14
    top: float = 12
    bottom: float = 34
    marks: list[str] = field(default_factory=list)

    def across(self, low: float, high: float, *, log: bool = False) -> Scale:
        """The horizontal scale of the plot area."""
        return Scale(low, high, self.left, self.width - self.right, log)

    def upward(self, low: float, high: float, *, log: bool = False) -> Scale:
        """The vertical scale of the plot area."""
        return Scale(low, high, self.height - self.bottom, self.top, log)

    def add(self, mark: str) -> None:
        """One more mark, already escaped."""
        self.marks.append(mark)

    def words(self, x: float, y: float, text: object, kind: str = "tick", anchor: str = "middle") -> None:
        """A piece of text."""
        self.add(f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escaped(text)}</text>')

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        """A straight line."""
        self.add(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>')

    def path(self, points: Sequence[tuple[float, float]], kind: str, *, closed: bool = False) -> None:
        """A line through points."""
        if points:
            steps = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
            self.add(f'<path d="M{steps}{" Z" if closed else ""}" class="{kind}"/>')

    def steps(self, points: Sequence[tuple[float, float]], kind: str) -> None:
        """A line that holds each value until the next."""
        corners = [corner for (_, y), (x, z) in itertools.pairwise(points) for corner in ((x, y), (x, z))]
        self.path([*points[:1], *corners], kind)

    def dot(self, x: float, y: float, kind: str, tip: str, radius: float = 3.2) -> None:
        """A dot that says what it is when pointed at."""
        self.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" class="{kind}"><title>{escaped(tip)}</title></circle>')

    def cross(self, x: float, y: float, tip: str) -> None:
        """The mark of a failure."""
        arms = f"M{x - 3:.1f} {y - 3:.1f} l6 6 m-6 0 l6 -6"
        self.add(f'<path d="{arms}" class="failed"><title>{escaped(tip)}</title></path>')

    def x_axis(self, scale: Scale, name: str, *, whole: bool = False) -> None:
        """Ticks and the name below the plot."""
        base = self.height - self.bottom
        self.line(self.left, base, self.width - self.right, base, "axis")
        self.x_ticks([tick for tick in scale.ticks(6) if not whole or float(tick).is_integer()], scale)
        self.words((self.left + self.width - self.right) / 2, self.height - 5, name, "name")

    def x_ticks(self, found: Sequence[float], scale: Scale) -> None:
        """Labels below the plot, none of them beyond the picture's edge."""
        for tick, label in zip(found, labels(found, log=scale.log), strict=True):
            half = LETTER * len(label) / 2
            x = min(max(scale(tick), half), self.width - half)
            self.words(x, self.height - self.bottom + 14, label)

    def y_axis(self, scale: Scale, *, whole: bool = False) -> None:
        """Ticks and faint lines across the plot."""
        found = [tick for tick in scale.ticks(4) if not whole or float(tick).is_integer()]
        for tick, label in zip(found, labels(found, log=scale.log), strict=True):
            self.line(self.left, scale(tick), self.width - self.right, scale(tick), "grid")
            self.words(self.left - 6, scale(tick) + 3.5, label, anchor="end")

    @property
    def text(self) -> str:
        """The whole picture."""
        box = f'viewBox="0 0 {self.width:g} {self.height:g}"'
        return f'<svg {box} role="img" aria-label="{escaped(self.label)}">{"".join(self.marks)}</svg>'
