"""App. B.5: the final value against one setting at a time, beside the spread of the unchanged settings over seeds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.paper.claims import AGAINST, FEW, HOLDS, LEAST_SEEDS, MISSING, Comparison
from benchmarks.paper.data import Data
from benchmarks.paper.drawing import board, empty, headed
from benchmarks.paper.experiment import Line, Panel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BASE = "paper"
SETTINGS = {
    "failure_tolerance": ("failure tolerance", {"": (10, 20, 30, 60, 80)}, 40),
    "initial_radius": (
        "first radius",
        {"pest-25": (5, 10, 15, 25), "ackley-53": (10, 20, 30, 50)},
        {"pest-25": 20, "ackley-53": 40},
    ),
    "factor": ("factor of growth and shrinkage", {"": (1.2, 1.35, 1.75, 2.0)}, 1.5),
    "fit_steps": ("Adam's steps", {"": (200, 300)}, 100),
    "fit_rate": ("Adam's rate", {"": (0.03, 0.3)}, 0.1),
    "fit_starts": ("starts of the fit", {"": (1,)}, 3),
}
"""Setting -> its name for readers, the values tried by problem ("" for all), and the paper's value."""
WITHIN = 0.9
"""The share of runs that the paper's "vast majority" is taken to mean."""


def values_of(setting: str, problem: str) -> tuple[float, ...]:
    tried = SETTINGS[setting][1]
    return tried.get(problem) or tried[""]


def usual(setting: str, problem: str) -> float:
    value = SETTINGS[setting][2]
    return value[problem] if isinstance(value, dict) else value


def variants(problem: str) -> tuple[Line, ...]:
    return tuple(Line(f"{BASE}:{setting}={value}", seeds=1) for setting in SETTINGS for value in values_of(setting, problem))


def final(data: Data, panel: Panel, method: str) -> list[float]:
    line = data.line(panel, method)
    return list(data.losses(panel, line).values()) if line else []


def changed(data: Data, panel: Panel) -> Iterator[tuple[str, float, float]]:
    """Yield setting, value and result of the first run with every changed setting."""
    for setting in SETTINGS:
        for value in values_of(setting, panel.problem):
            if found := final(data, panel, f"{BASE}:{setting}={value}"):
                yield setting, value, found[0]


def draw(data: Data) -> Figure:
    """Draw a row per problem and a column per setting."""
    panels = data.experiment.panels
    figure, grid = board(len(panels) * len(SETTINGS), columns=len(SETTINGS), width=2.5, height=2.5)
    for row, panel in enumerate(panels):
        places = grid[row * len(SETTINGS) : (row + 1) * len(SETTINGS)]
        base = final(data, panel, BASE)
        results = list(changed(data, panel))
        for axes, (setting, (name, _, _)) in zip(places, SETTINGS.items(), strict=True):
            if axes is not places[0]:
                axes.sharey(places[0])
                axes.tick_params(labelleft=False)
            points = sorted((v, y) for s, v, y in results if s == setting)
            axes.set_title(panel.title if axes is places[0] else "")
            axes.set_xlabel(name)
            if len(base) < 2 or not points:
                empty(axes)
                continue
            mean, spread = float(np.mean(base)), 2 * float(np.std(base, ddof=1))
            axes.axhspan(mean - spread, mean + spread, color="#0072B2", alpha=0.14, linewidth=0)
            axes.axhline(mean, color="#0072B2", linewidth=1.6)
            axes.plot(*zip(*points, strict=True), "o", color="#D55E00", markersize=5.5)
            axes.plot([usual(setting, panel.problem)], [mean], "D", color="#0072B2", markersize=5)
            for rival in rivals(panel):
                if beaten := final(data, panel, rival):
                    axes.axhline(float(np.mean(beaten)), color="#222222", linestyle=":", linewidth=1.2)
        places[0].set_ylabel("final value")
    figure.supxlabel(
        "blue: mean ± 2 standard deviations of the paper's settings; orange: one run with one setting changed; "
        "dotted: the next best rival of the paper",
        fontsize=8.5,
        color="#444444",
    )
    return headed(figure, data)


def rivals(panel: Panel) -> list[str]:
    return [line.method for line in panel.lines if not line.method.startswith(BASE)]


def insensitive(data: Data) -> Iterator[Comparison]:
    """At least 90 % of the runs with one setting changed lie within two standard deviations of the unchanged ones, or below."""
    for panel in data.experiment.panels:
        base, results = final(data, panel, BASE), [y for _, _, y in changed(data, panel)]
        what = f"{panel.title}: runs within 2 standard deviations of the paper's settings, or better"
        if not base or not results:
            yield Comparison(what, MISSING)
        elif len(base) < LEAST_SEEDS:
            yield Comparison(what, FEW)
        else:
            within = sum(y <= np.mean(base) + 2 * np.std(base, ddof=1) + 1e-9 for y in results)
            yield Comparison(what, HOLDS if within >= WITHIN * len(results) else AGAINST, f"{within} of {len(results)}")


def ahead(data: Data) -> Iterator[Comparison]:
    """Every run with one setting changed is better than the mean of the next best rival."""
    for panel in data.experiment.panels:
        results = [y for _, _, y in changed(data, panel)]
        for rival in rivals(panel):
            what, theirs = f"{panel.title}: every run is better than the mean of {rival}", final(data, panel, rival)
            if not theirs or not results:
                yield Comparison(what, MISSING)
            elif len(theirs) < LEAST_SEEDS:
                yield Comparison(what, FEW)
            else:
                better = sum(y < np.mean(theirs) for y in results)
                yield Comparison(what, HOLDS if better == len(results) else AGAINST, f"{better} of {len(results)}")
