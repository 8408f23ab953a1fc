"""The style of every figure: colours that colour-blind readers can distinguish, thin lines, no frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from io import BytesIO
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from casmopolitan.errors import MissingExtraError
from casmopolitan.formatting import abbreviate
from casmopolitan.optimizer import Optimizer
from casmopolitan.trial import Direction

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, RED, PURPLE, SKY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9"
"""Okabe and Ito's palette."""
INK, GREY, FAINT = "#222222", "#8A8A8A", "#E3E6EA"

HAPPENING = {"grew": (GREEN, "^"), "shrank": (RED, "v"), "restarted": (PURPLE, "*")}
"""Colour and marker of each change of a region."""

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
    """Decorate a drawing function to use this style, and to raise MissingExtraError if matplotlib is not installed."""

    @wraps(draw)
    def drawing(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            import matplotlib as mpl
        except ImportError:
            raise MissingExtraError("a figure", "matplotlib", "plots") from None
        with mpl.rc_context(RC):
            return draw(*args, **kwargs)

    return drawing


def new_figure(width: float, height: float, **layout: Any) -> tuple[Figure, Any]:
    """Return a figure of this size in inches, and its axes; pyplot and its global state are not used."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    class NotebookFigure(Figure):
        """A figure that notebooks show without pyplot."""

        def _repr_png_(self) -> bytes:
            content = BytesIO()
            self.savefig(content, format="png")
            return content.getvalue()

    figure = NotebookFigure(
        figsize=(width, height), dpi=120, layout=ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.08), facecolor="white"
    )
    grid = figure.subplots(**layout)
    for axes in figure.axes:
        axes.tick_params(labelsize=8.0, labelcolor=INK, color=GREY)
    return figure, grid


def quality_map(direction: Direction = "minimize") -> Colormap:
    """Return the colours of values: better ones are darker."""
    from matplotlib.colors import LinearSegmentedColormap

    dark_to_light = ["#08306B", BLUE, "#C6DBEF"]
    return LinearSegmentedColormap.from_list("quality", dark_to_light if direction == "minimize" else dark_to_light[::-1])


def value_label(optimizer: Optimizer, objective: str | None = None) -> str:
    """Return the label of an axis of predictions."""
    name = "predicted value" if objective is None else f"predicted {abbreviate(objective, 20)}"
    best = optimizer.goals.objectives[objective] if objective is not None else optimizer.direction
    return name if best == "minimize" else f"{name}\n(larger is better)"


def label_values(axis: Axis, values: Sequence[object], most: int = 24) -> None:
    """Write the choices of a variable along an axis, at most this many; upright below a figure, if they are many or long."""
    from matplotlib.axis import XAxis

    step = -(-len(values) // most)
    texts = [abbreviate(value, 16) for value in values[::step]]
    upright = isinstance(axis, XAxis) and (len(texts) > 5 or sum(map(len, texts)) > 20)
    axis.set_ticks(range(0, len(values), step), texts, rotation=90 if upright else 0)
    axis.set_tick_params(length=0)


def mark_restarts(axes: Axes, numbers: list[int]) -> None:
    """Draw a thin dashed line at the start of each new region."""
    for k, number in enumerate(numbers):
        axes.axvline(number - 0.5, color=PURPLE, lw=1.0, ls=(0, (4, 3)), zorder=1, label="restart" if k == 0 else None)
