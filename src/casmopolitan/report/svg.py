"""Small figures as SVG text: scales, ticks, axes and marks. Every value is escaped; there is no script and no style."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from casmopolitan.formatting import abbreviate

LETTER = 6.6
"""The widest digit of a tick label, in pixels."""
USUAL = 6.1
"""The mean width of a letter of a label, in pixels."""

Pixels = Sequence[tuple[float, float]]


def tick_labels(found: Sequence[float], *, log: bool = False) -> list[str]:
    """Return the labels of ticks, with as many digits as it takes to tell each from the next."""
    if log or len(found) < 2:
        return [abbreviate(float(tick)) for tick in found]
    largest, step = max(map(abs, found)), min(b - a for a, b in itertools.pairwise(found))
    power = math.floor(math.log10(step) + 1e-9)
    finer = power - (round(step / 10.0**power, 6) % 1 > 0)  # steps of 2.5 need one more digit
    if 1e-4 <= largest < 1e6:
        return [f"{tick + 0.0:.{max(0, -finer)}f}" for tick in found]
    digits = min(max(0, math.floor(math.log10(largest)) - finer), 16)
    return [f"{tick:.{digits}e}" if tick else "0" for tick in found]


def label_width(low: float, high: float, *, log: bool = False) -> float:
    """Return the pixels that the labels of a vertical axis need."""
    found = log_ticks(low, high) if log else ticks(low, high, 4)
    return 14 + LETTER * max(map(len, tick_labels(found, log=log)), default=0)


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Return round numbers from low to high, at most `most + 1`."""
    if not math.isfinite(high - low) or high <= low:
        return [low]
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    return list(dict.fromkeys(k * step for k in range(first, math.floor(high / step + 1e-9) + 1)))


def log_ticks(low: float, high: float) -> list[float]:
    """Return powers of ten from low to high, and other round numbers if those are fewer than three."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in ((1,), (1, 3), (1, 2, 5)):
        found = [m * 10.0**p for p in powers for m in factors if low * (1 - 1e-9) <= m * 10.0**p <= high * (1 + 1e-9)]
        if len(found) >= 3:
            return found[:: 1 + len(found) // 7]
    return found if len(found) > 1 else ticks(low, high, 4)


@dataclass(frozen=True)
class Scale:
    """A map from values to pixels, linear or logarithmic."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """Return the pixel of a value."""
        if self.high == self.low:
            return (self.start + self.end) / 2
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def clip(self, value: float) -> float:
        """Return the value, or the nearest end of the scale if it lies outside."""
        return min(max(value, self.low), self.high)

    def ticks(self, most: int = 5, *, whole: bool = False) -> list[float]:
        """Return round numbers on the scale, integers only if `whole`."""
        found = log_ticks(self.low, self.high) if self.log else ticks(self.low, self.high, most)
        return [tick for tick in found if not whole or float(tick).is_integer()]


def padded_range(values: Sequence[float], margin: float = 0.06) -> tuple[float, float]:
    """Return the range of the values with a margin; never empty."""
    low, high = min(values), max(values)
    room = (high - low) * margin or abs(high) * margin or 1.0
    return (low - room, high + room) if math.isfinite(high - low + 2 * room) else (low, high)


def letters(pixels: float) -> int:
    """Return how many letters of a label fit."""
    return max(int(pixels / USUAL), 4)


@dataclass
class Canvas:
    """A figure under construction: marks are appended, `svg` is the result."""

    width: float
    height: float
    label: str
    left: float = 52
    right: float = 14
    top: float = 12
    bottom: float = 34
    tips: bool = True
    """Whether marks have tooltips, which telephones do not show."""
    marks: list[Markup] = field(default_factory=list)

    @property
    def base(self) -> float:
        """The pixel of the horizontal axis."""
        return self.height - self.bottom

    def across(self, low: float, high: float, *, log: bool = False) -> Scale:
        """Return the horizontal scale of the plot area."""
        return Scale(low, high, self.left, self.width - self.right, log)

    def upward(self, low: float, high: float, *, log: bool = False) -> Scale:
        """Return the vertical scale of the plot area."""
        return Scale(low, high, self.base, self.top, log)

    def add(self, template: str, **values: object) -> None:
        """Add a mark: a template in which every value is escaped."""
        self.marks.append(Markup(template).format(**values))

    def titled(self, template: str, tip: str, **values: object) -> None:
        """Add a mark with a tooltip in place of `{title}`."""
        title = Markup("<title>{}</title>").format(tip) if tip and self.tips else Markup()
        self.add(template, title=title, **values)

    def text(self, x: float, y: float, text: object, kind: str = "tick", anchor: str = "middle", turn: str = "") -> None:
        """Add text, turned if `turn` is an SVG transformation."""
        template = '<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}"{turned}>{text}</text>'
        turned = Markup(' transform="{}"').format(turn) if turn else ""
        self.add(template, x=x, y=y, kind=kind, anchor=anchor, turned=turned, text=text)

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        """Add a straight line."""
        template = '<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" class="{}"/>'
        self.marks.append(Markup(template).format(x1, y1, x2, y2, kind))

    def path(self, points: Pixels, kind: str, *, closed: bool = False, tip: str = "", strength: float | None = None) -> None:
        """Add a line through points, with a tooltip and an opacity if given."""
        if points:
            steps = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
            style = "" if strength is None else Markup(' style="--strength:{:.2f}"').format(strength)
            template = '<path d="M{d}" class="{kind}"{style}>{title}</path>'
            self.titled(template, tip, d=steps + " Z" * closed, kind=kind, style=style)

    def steps(self, points: Pixels, kind: str) -> None:
        """Add a line that holds each value until the next."""
        corners = [corner for (_, y), (x, z) in itertools.pairwise(points) for corner in ((x, y), (x, z))]
        self.path([*points[:1], *corners], kind)

    def dot(self, x: float, y: float, kind: str, tip: str, radius: float = 3.2) -> None:
        """Add a dot with a tooltip."""
        template = '<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" class="{kind}">{title}</circle>'
        self.titled(template, tip, x=x, y=y, radius=radius, kind=kind)

    def cross(self, x: float, y: float, tip: str) -> None:
        """Add the mark of a failure."""
        self.titled('<path d="M{x:.1f} {y:.1f} l6 6 m-6 0 l6 -6" class="failed">{title}</path>', tip, x=x - 3, y=y - 3)

    def tile(self, x: float, y: float, width: float, height: float, kind: str, strength: float, tip: str = "") -> None:
        """Add a rectangle with an opacity and a tooltip. Its ends are rounded, so that neighbours leave no gap."""
        (x, width), (y, height) = ((round(a, 1), round(a + size, 1) - round(a, 1)) for a, size in ((x, width), (y, height)))
        template = (
            '<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" class="{kind}" opacity="{s:.2f}">{title}</rect>'
        )
        self.titled(template, tip, x=x, y=y, w=width, h=height, kind=kind, s=strength)

    def x_axis(self, scale: Scale, name: str, *, whole: bool = False) -> None:
        """Add the horizontal axis with ticks and a name."""
        self.line(self.left, self.base, self.width - self.right, self.base, "axis")
        self.x_ticks(scale.ticks(6, whole=whole), scale)
        self.text((self.left + self.width - self.right) / 2, self.height - 5, name, "name")

    def x_ticks(self, found: Sequence[float], scale: Scale) -> None:
        """Add labels below the plot, all of them inside the figure."""
        for tick, label in zip(found, tick_labels(found, log=scale.log), strict=True):
            half = LETTER * len(label) / 2
            self.text(min(max(scale(tick), half), self.width - half), self.base + 14, label)

    def y_axis(self, scale: Scale, *, whole: bool = False) -> None:
        """Add ticks and faint lines across the plot."""
        found = scale.ticks(4, whole=whole)
        for tick, label in zip(found, tick_labels(found, log=scale.log), strict=True):
            self.line(self.left, scale(tick), self.width - self.right, scale(tick), "grid")
            self.text(self.left - 6, scale(tick) + 3.5, label, anchor="end")

    @property
    def svg(self) -> Markup:
        """The whole figure."""
        template = Markup('<svg viewBox="0 0 {:g} {:g}" role="img" aria-label="{}">{}</svg>')
        return template.format(self.width, self.height, self.label, Markup("").join(self.marks))
