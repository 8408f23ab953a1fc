"""One look for every picture: colours that colour-blind readers can tell apart, thin lines, no frame."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from casmopolitan.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, RED, PURPLE, SKY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9"
"""Okabe and Ito's palette."""
INK, GREY, FAINT = "#222222", "#8A8A8A", "#E3E6EA"

HAPPENING = {"grew": (GREEN, "^"), "shrank": (RED, "v"), "restarted": (PURPLE, "*")}
"""Colour and marker of what happens to a region."""

RC: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.linewidth": 0.8,
    "axes.labelcolor": INK,
    "axes.titlesize": 10.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "lines.linewidth": 1.8,
    "svg.hashsalt": "casmopolitan",
}


P = ParamSpec("P")
T = TypeVar("T")


def styled(draw: Callable[P, T]) -> Callable[P, T]:
    """A function that draws, with this look; MissingExtraError where matplotlib is not installed."""

    @wraps(draw)
    def drawing(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            import matplotlib as mpl
        except ImportError:
            raise MissingExtraError("a picture", "matplotlib", "plots") from None
        with mpl.rc_context(RC):
            return draw(*args, **kwargs)

    return drawing


def pictured(width: float, height: float, **layout: Any) -> tuple[Figure, Any]:
    """A figure of that many inches and its axes, apart from pyplot and its global state."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=(width, height), dpi=120, layout=ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.08), facecolor="white")
    grid = figure.subplots(**layout)
    for axes in figure.axes:
        axes.tick_params(labelsize=8.0, labelcolor=INK, color=GREY)
    return figure, grid


def restarts_marked(axes: Axes, numbers: list[int]) -> None:
    """A thin dashed line where each new region begins."""
    for k, number in enumerate(numbers):
        axes.axvline(number - 0.5, color=PURPLE, lw=1.0, ls=(0, (4, 3)), zorder=1, label="restart" if k == 0 else None)
