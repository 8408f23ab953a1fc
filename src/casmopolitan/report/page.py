"""The report as one HTML page."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from casmopolitan.analysis.front import closest
from casmopolitan.analysis.row import ENDED, TrialRow, complete, distinct, leading, ranked
from casmopolitan.analysis.success import Chances
from casmopolitan.formatting import abbreviate, in_full
from casmopolitan.goals import Goals, outcome_text
from casmopolitan.report import charts, outcome_charts, tables
from casmopolitan.report.charts import NARROW, Look
from casmopolitan.report.facts import NOTHING, Facts, Found
from casmopolitan.report.model import ModelSummary, describe_check, describe_structure
from casmopolitan.report.parallel import side_by_side
from casmopolitan.report.predictions import checked, heat_map, prediction
from casmopolitan.report.tiles import baseline_of, tiles
from casmopolitan.space import Space

FIRST = 8
"""Slices that are visible before the reader unfolds the rest."""
FIRST_BARS = 20
"""Bars of relevance that are visible before the reader unfolds the rest."""
LATEST = 30
"""Failed trials that are listed with their output."""


def render(
    facts: Facts,
    rows: Sequence[TrialRow],
    space: Space,
    found: Found = NOTHING,
    best_first: Sequence[TrialRow] | None = None,
) -> str:
    """Return the page as HTML; `best_first` replaces the order by value if given."""
    goals, models = facts.goals, found.models
    best = ranked(rows, goals) if best_first is None else best_first
    front = distinct(leading(best, goals))
    once = distinct(best) if goals.single else front
    relevances = _largest([model.structure.relevances for model in models])
    order = sorted(space.names, key=lambda name: (-relevances.get(name, 0.0), space.names.index(name)))
    axes = [name for name in order if space[name].count > 1]
    fitting = [row for row in once if space.allows(row.configuration)]  # others have no place on the axes
    failed = [row for row in rows if row.state == "failed"]
    kinds = Counter(row.ending or "told as failed" for row in failed)
    top = best[0] if best and goals.single else None
    baseline = baseline_of(facts, rows, best)
    predicted = {row.number: row.predicted for row in best if row.predicted is not None}
    under_way = [row for row in rows if row.state in ("running", "asked", "waiting")]

    def next_ones(trials: Sequence[TrialRow], *, under_way: bool = False) -> list[tables.Next]:
        own = top.configuration if top else None
        return tables.next_trials(trials, order, space, models, found.chances, own, under_way=under_way)

    def both(draw: Callable[[Look], Markup]) -> Markup:
        """Return a chart for wide screens and one for telephones; the style sheet shows one of them."""
        drawn = draw(Look(order))
        return drawn and Markup('<div class="roomy">{}</div><div class="tight">{}</div>').format(
            drawn, draw(Look(order, NARROW))
        )

    folder = files("casmopolitan.report")
    script = (folder / "page.js").read_text("utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string((folder / "page.html").read_text("utf-8")).render(
        facts=facts,
        style=Markup((folder / "page.css").read_text("utf-8")),
        script=Markup(script),
        fingerprint=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        goal=str(facts.goals) if facts.goals.named else charts.BETTER[facts.goals.direction],
        tiles=tiles(facts, rows, best, baseline),
        best=[(name, tables.value_text(value), in_full(value)) for name, value in top.configuration.items()] if top else [],
        command=facts.command(top) if top and facts.command else "",
        missing=_missing(rows, best, goals),
        suggestions=next_ones(found.suggestions),
        under_way=next_ones(under_way[:FIRST], under_way=True),
        more_under_way=max(len(under_way) - FIRST, 0),
        front=outcome_charts.pareto_front(rows, goals, front, both),
        hypervolume=both(lambda look: outcome_charts.hypervolume(rows, goals, best, look)),
        limits=both(lambda look: outcome_charts.limits(rows, goals, look)),
        limited=bool(goals.limits),
        single=goals.single,
        convergence=both(
            lambda look: charts.convergence(rows, goals, look, predicted, None if baseline is None else baseline[1])
        ),
        by_model=bool(predicted),
        baseline=baseline,
        trust_region=both(lambda look: charts.trust_region(rows, look)),
        constant=charts.constant_lengths(rows),
        parts=[_model_part(model, space, goals, found.chances, both) for model in models],
        first=FIRST if goals.single else FIRST // 2,
        first_bars=FIRST_BARS,
        side_by_side=side_by_side(fitting, space, axes, goals),
        table=tables.best_table(once, order, goals, space, found.chances),
        by_mean=bool(best) and (best[0].predicted is not None or best[0].means is not None),
        listed=tables.trials_table(rows, order, goals),
        failed=failed,
        latest=[(row, _in_one_line(row)) for row in failed[-LATEST:]],
        kinds=", ".join(f"{n} × {kind}" for kind, n in kinds.most_common()),
        ended=sum(row.state in ENDED for row in rows),
        trials=len(rows),
        variables={name: tables.variable_text(space[name]) for name in space},
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


def _model_part(
    model: ModelSummary, space: Space, goals: Goals, chances: Chances | None, both: Callable[[Callable[[Look], Markup]], Markup]
) -> dict[str, Any]:
    """Return what the page shows about the model of one objective."""
    way, centre, pair, check = goals.objectives[model.objective], model.centre, model.pair, model.check
    slices = []
    for along in model.slices:
        likely = None if chances is None else chances([{**centre, along.name: value} for value in along.values])
        slices.append(prediction(along, space[along.name], model.seen, likely))
    grid = None
    if chances is not None and pair is not None:
        (up, right), (lines, columns) = pair.names, pair.values
        allowed = [(i, k) for i, line in enumerate(pair.mean) for k, mean in enumerate(line) if mean is not None]
        found = chances([{**centre, up: lines[i], right: columns[k]} for i, k in allowed])
        grid = dict(zip(allowed, found, strict=True))
    largest = max([*model.structure.relevances.values(), 1e-9])
    bars = sorted(model.structure.relevances.items(), key=lambda item: -item[1])
    return {
        "name": "" if goals.single else model.objective,
        "structure": describe_structure(model.structure),
        "bars": [(name, f"{value:.2g}", f"{max(100 * value / largest, 0.5):.1f}") for name, value in bars],
        "slices": slices,
        "pair": pair and both(lambda look: heat_map(pair, way, look, grid)),
        "check": check and both(lambda look: checked(check, way, look)),
        "verdict": check and describe_check(check),
        "trials": model.trials,
        "around": model.around,
    }


def _in_one_line(row: TrialRow) -> str:
    return ", ".join(f"{name} = {abbreviate(value, 30)}" for name, value in row.configuration.items())
