"""The report as one HTML page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from casmopolitan.analysis.convergence import is_design
from casmopolitan.analysis.row import TrialRow, distinct, precision, ranked, valued
from casmopolitan.formatting import abbreviate, duration, in_full
from casmopolitan.goals import Goals
from casmopolitan.report import charts
from casmopolitan.report.model import ModelSummary, describe_structure
from casmopolitan.space import Space
from casmopolitan.trial import Direction

MOST = 20
"""Rows in the table of the best configurations."""
FIRST = 8
"""Slices that are visible before the reader unfolds the rest."""
PLAIN_GOAL: dict[Direction, str] = {"minimize": "smaller is better", "maximize": "larger is better"}
LATEST = 30
"""Failed trials that are listed with their output."""


@dataclass(frozen=True)
class Facts:
    """The facts on the page besides the trials."""

    name: str
    goals: Goals
    budget: int
    made: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, Any] = field(default_factory=dict)


def render(
    facts: Facts,
    rows: Sequence[TrialRow],
    space: Space,
    model: ModelSummary | None,
    best_first: Sequence[TrialRow] | None = None,
) -> str:
    """Return the page as HTML; `best_first` replaces the order by value if given."""
    best = ranked(rows, facts.goals) if best_first is None else best_first
    once = distinct(best)
    relevances = model.structure.relevances if model else {}
    order = sorted(space.names, key=lambda name: (-relevances.get(name, 0.0), space.names.index(name)))
    axes = [name for name in order if space[name].count > 1][: charts.MOST_AXES]
    fitting = [row for row in once if space.allows(row.configuration)]  # others have no place on the axes
    failed = [row for row in rows if row.state == "failed"]
    kinds = Counter(row.ending or "told as failed" for row in failed)
    folder = files("casmopolitan.report")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string((folder / "page.html").read_text("utf-8")).render(
        facts=facts,
        style=Markup((folder / "page.css").read_text("utf-8")),
        goal=str(facts.goals) if facts.goals.named else PLAIN_GOAL[facts.goals.direction],
        tiles=tiles(facts, rows, best),
        best=[(name, in_full(value)) for name, value in best[0].configuration.items()] if best else [],
        convergence=charts.convergence(rows, facts.goals),
        trust_region=charts.trust_region(rows),
        relevance=charts.relevance(relevances),
        structure=describe_structure(model.structure) if model else "",
        model=model,
        slices=_slices(model, space, rows),
        first=FIRST,
        side_by_side=charts.side_by_side(fitting, space, axes, facts.goals.direction),
        table=best_table(once, order),
        by_mean=bool(best) and best[0].predicted is not None,
        failed=failed,
        latest=[(row, _in_one_line(row)) for row in failed[-LATEST:]],
        kinds=", ".join(f"{n} × {kind}" for kind, n in kinds.most_common()),
        trials=len(rows),
    )


def tiles(facts: Facts, rows: Sequence[TrialRow], best: Sequence[TrialRow]) -> list[tuple[str, str]]:
    """Return the names and numbers at the top of the page."""
    ended = sum(row.counts and row.state in ("complete", "failed") for row in rows)
    found = [("trials", f"{ended} of {facts.budget}")]
    if best:
        seen, mean = best[0].result, best[0].predicted
        first = ranked([row for row in rows if is_design(row.explanation)], facts.goals)
        start = first[0].result if first else seen
        digits = next((n for n in (6, 8, 10, 12) if f"{seen:.{n}g}" != f"{start:.{n}g}"), 6)
        if mean is None:
            found.insert(0, ("best value", f"{seen:.{digits}g}"))
        else:
            found[:0] = [("best by the model's mean", f"{mean:.6g}"), ("value seen there", f"{seen:.{digits}g}")]
        found.append(("found at trial", str(best[0].number)))
        found += [("best initial value", f"{start:.{digits}g}")] if first else []
    failed = sum(row.state == "failed" for row in rows)
    restarts = max((row.explanation.get("region") or 0 for row in rows), default=0)
    running = sum(row.state in ("running", "asked") for row in rows)
    counts = {"failed": failed, "restarts": restarts, "still running": running}
    found += [(name, str(count)) for name, count in counts.items() if count]
    seconds = sum(row.seconds or 0.0 for row in rows)
    return [*found, ("time in trials", duration(seconds))] if seconds >= 1 else found


def _slices(model: ModelSummary | None, space: Space, rows: Sequence[TrialRow]) -> list[Markup]:
    values = [row.result for row in valued(rows)]
    if model is None or not values:
        return []
    return [charts.prediction(along, space[along.name], (min(values), max(values))) for along in model.slices]


def best_table(best: Sequence[TrialRow], order: Sequence[str]) -> list[list[str]]:
    """Return the table of the best configurations, headings first; nothing if there are none."""
    if not best:
        return []
    digits, shown = max(precision(best), 8), best[:MOST]
    columns: dict[str, list[Any]] = {
        "trial": [row.number for row in shown],
        "value": [f"{row.value:.{digits}g}" for row in shown],
    }
    if best[0].predicted is not None:
        columns["model's mean"] = ["" if row.predicted is None else f"{row.predicted:.{digits}g}" for row in shown]
    if any((row.evaluations or 1) > 1 for row in best):
        columns["evaluations"] = [row.evaluations for row in shown]
    lines = [
        [*values, *(row.configuration.get(name) for name in order)]
        for row, *values in zip(shown, *columns.values(), strict=True)
    ]
    return [[abbreviate(cell, 28) for cell in line] for line in [[*columns, *order], *lines]]


def _in_one_line(row: TrialRow) -> str:
    return ", ".join(f"{name} = {abbreviate(value, 30)}" for name, value in row.configuration.items())
