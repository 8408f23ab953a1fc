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
from casmopolitan.analysis.front import closest
from casmopolitan.analysis.row import ENDED, TrialRow, complete, distinct, leading, precision, ranked, volume_of
from casmopolitan.formatting import abbreviate, duration, in_full
from casmopolitan.goals import Goals, outcome_text
from casmopolitan.report import charts, outcome_charts
from casmopolitan.report.model import ModelSummary, describe_structure
from casmopolitan.space import Space
from casmopolitan.trial import Direction

MOST = 20
"""Rows in the table of the best configurations."""
MOST_ON_FRONT = 60
"""Rows in the table of a front."""
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
    models: Sequence[ModelSummary] = (),
    best_first: Sequence[TrialRow] | None = None,
) -> str:
    """Return the page as HTML; `models` has one per objective, `best_first` replaces the order by value if given."""
    goals = facts.goals
    best = ranked(rows, goals) if best_first is None else best_first
    front = distinct(leading(best, goals))
    once = distinct(best) if goals.single else front
    relevances = _largest([model.structure.relevances for model in models])
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
        best=[(name, in_full(value)) for name, value in best[0].configuration.items()] if best and goals.single else [],
        missing=_missing(rows, best, goals),
        front=outcome_charts.pareto_front(rows, goals, front),
        hypervolume=outcome_charts.hypervolume(rows, goals),
        limits=outcome_charts.limits(rows, goals),
        limited=bool(goals.limits),
        single=goals.single,
        convergence=charts.convergence(rows, goals),
        trust_region=charts.trust_region(rows),
        parts=[_model_part(model, space, goals) for model in models],
        first=FIRST if goals.single else FIRST // 2,
        side_by_side=charts.side_by_side(fitting, space, axes, goals),
        table=best_table(once, order, goals),
        by_mean=bool(best) and (best[0].predicted is not None or best[0].means is not None),
        failed=failed,
        latest=[(row, _in_one_line(row)) for row in failed[-LATEST:]],
        kinds=", ".join(f"{n} × {kind}" for kind, n in kinds.most_common()),
        trials=len(rows),
    )


def _largest(relevances: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the largest relevance of each variable."""
    return {name: max(one.get(name, 0.0) for one in relevances) for one in relevances for name in one}


def _missing(rows: Sequence[TrialRow], best: Sequence[TrialRow], goals: Goals) -> str:
    """Return why there is no best trial; empty if there is one."""
    if best:
        return ""
    nearest = closest(complete(rows), goals) if goals.limits else None
    if nearest is None:
        return "No trial has been completed yet."
    return f"No trial meets all limits yet. Trial {nearest.number} comes closest: {outcome_text(nearest.told)}."


def _model_part(model: ModelSummary, space: Space, goals: Goals) -> dict[str, Any]:
    """Return what the page shows about the model of one objective."""
    low, high = model.seen
    return {
        "name": "" if goals.single else model.objective,
        "structure": describe_structure(model.structure),
        "relevance": charts.relevance(model.structure.relevances),
        "slices": [charts.prediction(along, space[along.name], (low, high)) for along in model.slices],
        "trials": model.trials,
        "around": model.around,
    }


def tiles(facts: Facts, rows: Sequence[TrialRow], best: Sequence[TrialRow]) -> list[tuple[str, str]]:
    """Return the names and numbers at the top of the page."""
    ended = sum(row.counts and row.state in ENDED for row in rows)
    found = [("trials", f"{ended} of {facts.budget}")]
    if best and not facts.goals.single:
        count, (volume, _) = len(leading(best, facts.goals)), volume_of(best, facts.goals)
        found[:0] = [("on the front", f"{count} trial{'' if count == 1 else 's'}"), ("hypervolume", f"{volume:.6g}")]
    elif best:
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
        told = best[0].outcomes or {}
        found += [(f"{name} {text}", f"{told[name]:.6g}") for name, text in facts.goals.limits.items()]
    if facts.goals.limits:
        done = complete(rows)
        found.append(("meet all limits", f"{sum(row.feasible is True for row in done)} of {len(done)}"))
    failed = sum(row.state == "failed" for row in rows)
    restarts = max((row.explanation.get("region") or 0 for row in rows), default=0)
    running = sum(row.state in ("running", "asked") for row in rows)
    pruned = sum(row.state == "pruned" for row in rows)
    counts = {"failed": failed, "ended early": pruned, "restarts": restarts, "still running": running}
    found += [(name, str(count)) for name, count in counts.items() if count]
    seconds = sum(row.seconds or 0.0 for row in rows)
    return [*found, ("time in trials", duration(seconds))] if seconds >= 1 else found


def best_table(best: Sequence[TrialRow], order: Sequence[str], goals: Goals) -> list[list[str]]:
    """Return the table of the best configurations or of the front, headings first; nothing if there are none."""
    if not best:
        return []
    digits, shown = max(precision(best), 8), best[: MOST if goals.single else MOST_ON_FRONT]
    columns: dict[str, list[Any]] = {"trial": [row.number for row in shown]}
    if goals.outcomes.plain:
        columns[goals.order[0]] = [f"{row.value:.{digits}g}" for row in shown]
    for name in goals.order if not goals.outcomes.plain else ():
        told = [(row.outcomes or {}).get(name) for row in shown]
        columns[" ".join(filter(None, [name, goals.limits.get(name)]))] = [
            "unknown" if value is None else f"{value:.8g}" for value in told
        ]
    for name in best[0].means or ():
        columns[f"model's {name}"] = ["" if row.means is None else f"{row.means[name]:.6g}" for row in shown]
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
