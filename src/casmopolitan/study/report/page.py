"""One page that opens anywhere, offline: style, pictures and tables in a single file, and nothing that runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from casmopolitan.formatting import abbreviate, duration, in_full
from casmopolitan.space import Space
from casmopolitan.study.report import pictures
from casmopolitan.study.report.model import Learnt
from casmopolitan.study.report.svg import escaped
from casmopolitan.study.trials.row import TrialRow, complete, distinct, precision, ranked
from casmopolitan.trial import Direction

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""What a browser lets the page do: look like this. No script runs in it, whatever a study's words contain."""
MOST = 20
"""Configurations in the table of the best."""
FIRST = 8
"""Slices and table rows shown before the reader unfolds the rest."""


@dataclass(frozen=True)
class Facts:
    """What the page says beside the trials."""

    name: str
    direction: Direction
    budget: int
    made: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, Any] = field(default_factory=dict)


def page(
    facts: Facts, rows: Sequence[TrialRow], space: Space, learnt: Learnt | None, best_first: Sequence[TrialRow] | None = None
) -> str:
    """The whole report as HTML; `best_first` where another order than that of the values is meant."""
    best = ranked(rows, facts.direction) if best_first is None else best_first
    once = distinct(best)
    relevances = learnt.relevances if learnt else {}
    order = sorted(space.names, key=lambda name: (-relevances.get(name, 0.0), space.names.index(name)))
    sections = [
        _convergence(facts, rows),
        _regions(rows),
        _relevance(learnt),
        _around(learnt, space, [row.value for row in complete(rows) if row.value is not None]),
        _parallel(facts, once, space, [name for name in order if space[name].count > 1][: pictures.MOST_AXES]),
        _best_table(once, order),
        _failures(rows),
        _pairs("Settings", facts.settings),
        _pairs("Versions", facts.versions),
    ]
    style = files("casmopolitan.study.report").joinpath("page.css").read_text("utf-8")
    title = escaped(f"{facts.name} · casmopolitan")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{escaped(POLICY)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
        f"<style>{style}</style></head><body><main>{_head(facts, rows, best)}{''.join(sections)}</main>"
        f"<footer>Made by casmopolitan {escaped(facts.versions.get('casmopolitan', ''))} on {escaped(facts.made)}.</footer>"
        "</body></html>\n"
    )


def _head(facts: Facts, rows: Sequence[TrialRow], best: Sequence[TrialRow]) -> str:
    """Name, the numbers that matter, and the best configuration."""
    counted = [row for row in rows if row.counts]
    numbers = [("trials", f"{len([r for r in counted if r.state in ('complete', 'failed')])} of {facts.budget}")]
    if best:
        seen, mean = best[0].result, best[0].predicted
        first = ranked([row for row in rows if pictures.designed(row)], facts.direction)
        start = first[0].value if first and first[0].value is not None else seen
        digits = next((n for n in (6, 8, 10, 12) if f"{seen:.{n}g}" != f"{start:.{n}g}"), 6)
        if mean is None:
            numbers.insert(0, ("best value", f"{seen:.{digits}g}"))
        else:
            numbers[:0] = [("best by the model's mean", f"{mean:.6g}"), ("value seen there", f"{seen:.{digits}g}")]
        numbers.append(("found at trial", str(best[0].number)))
        if first:
            numbers.append(("best initial value", f"{start:.{digits}g}"))
    failed = sum(row.state == "failed" for row in rows)
    regions = {row.explanation["region"] for row in rows if row.explanation.get("region") is not None}
    running = sum(row.state in ("running", "asked") for row in rows)
    numbers += [("failed", str(failed))] if failed else []
    numbers += [("restarts", str(max(regions)))] if regions and max(regions) else []
    numbers += [("still running", str(running))] if running else []
    seconds = sum(row.seconds or 0.0 for row in rows)
    numbers += [("time in trials", duration(seconds))] if seconds >= 1 else []
    tiles = "".join(f"<div><b>{escaped(value)}</b><span>{escaped(name)}</span></div>" for name, value in numbers)
    goal = "smaller is better" if facts.direction == "minimize" else "larger is better"
    return f'<header><h1>{escaped(facts.name)}</h1><p>{goal}</p><div class="tiles">{tiles}</div>{_best(best)}</header>'


def _best(best: Sequence[TrialRow]) -> str:
    if not best:
        return "<p>No trial has been completed yet.</p>"
    cells = "".join(
        f"<div><span>{escaped(name)}</span><b>{escaped(in_full(value))}</b></div>"
        for name, value in best[0].configuration.items()
    )
    return f'<div class="configuration">{cells}</div>'


def _section(title: str, about: str, body: str, kind: str = "") -> str:
    if not body:
        return ""
    return f'<section class="{kind}"><h2>{escaped(title)}</h2><p>{escaped(about)}</p>{body}</section>'


def _convergence(facts: Facts, rows: Sequence[TrialRow]) -> str:
    legend = _legend(
        initial="initial or known", found="suggested by the model", best="best so far", failed="failed", off="off the scale"
    )
    drawn = pictures.convergence(rows, facts.direction)
    return _section(
        "Convergence", "Every value, and the best so far; dashed where a new region begins.", drawn and legend + drawn
    )


def _legend(**kinds: str) -> str:
    marks = "".join(f'<span class="key {kind}">{escaped(words)}</span>' for kind, words in kinds.items())
    return f'<div class="legend">{marks}</div>'


def _regions(rows: Sequence[TrialRow]) -> str:
    about = "How far from the best point the search may go. It grows on success, shrinks on failure, and restarts elsewhere."
    drawn = pictures.regions(rows)
    return _section("Trust region", about, drawn and _legend(grew="grew", shrank="shrank") + drawn)


def _relevance(learnt: Learnt | None) -> str:
    if learnt is None:
        return ""
    about = (
        "The part of the variance that is left when only this variable changes, by the kernel fitted to all trials. "
        "0 is irrelevant, 1 decides all."
    )
    return _section("Relevance of the variables", about, pictures.relevance(learnt.relevances))


def _around(learnt: Learnt | None, space: Space, values: Sequence[float]) -> str:
    if learnt is None or not learnt.slices:
        return ""
    seen = (min(values), max(values))
    drawn = [pictures.prediction(s.name, space[s.name], s.at, s.values, s.mean, s.deviation, seen) for s in learnt.slices]
    body = f'<div class="slices">{"".join(drawn[:FIRST])}</div>'
    if len(drawn) > FIRST:
        rest = f'<div class="slices">{"".join(drawn[FIRST:])}</div>'
        body += f"<details><summary>{len(drawn) - FIRST} less relevant variables</summary>{rest}</details>"
    about = (
        f"What the model, which saw {learnt.trials} trials, predicts when one variable changes and the others stay: "
        "mean ± 2 standard deviations. The ring is the best point."
    )
    return _section("Around the best point", about, body, "wide")


def _parallel(facts: Facts, best: Sequence[TrialRow], space: Space, names: Sequence[str]) -> str:
    fitting = [row for row in best if space.allows(row.configuration)]  # one of another space has no place on the axes
    drawn = pictures.side_by_side(fitting, space, names, facts.direction)
    about = "The best configurations, one line each; the best is orange. Point at a line to read it."
    return _section("The best trials side by side", about, drawn and f'<div class="scroll">{drawn}</div>', "wide")


def _best_table(best: Sequence[TrialRow], order: Sequence[str]) -> str:
    if not best:
        return ""
    digits = max(precision(best), 8)
    columns: dict[str, list[Any]] = {
        "trial": [row.number for row in best[:MOST]],
        "value": [f"{row.value:.{digits}g}" for row in best[:MOST]],
    }
    if best[0].predicted is not None:
        columns["model's mean"] = ["" if row.predicted is None else f"{row.predicted:.{digits}g}" for row in best[:MOST]]
    if any((row.evaluations or 1) > 1 for row in best):
        columns["evaluations"] = [row.evaluations for row in best[:MOST]]
    lines = [
        _table_row([*facts, *(row.configuration.get(name) for name in order)])
        for row, *facts in zip(best[:MOST], *columns.values(), strict=True)
    ]
    table = f"<table><thead>{_table_row([*columns, *order], 'th')}</thead><tbody>{''.join(lines)}</tbody></table>"
    by = ", by the model's mean" if best[0].predicted is not None else ""
    return _section("Best configurations", f"The best first{by}; each once.", f'<div class="scroll">{table}</div>', "wide")


def _table_row(cells: Iterable[object], tag: str = "td") -> str:
    return f"<tr>{''.join(f'<{tag}>{escaped(abbreviate(cell, 28))}</{tag}>' for cell in cells)}</tr>"


def _failures(rows: Sequence[TrialRow]) -> str:
    failed = [row for row in rows if row.state == "failed"]
    if not failed:
        return ""
    kinds = Counter(row.ending or "told as failed" for row in failed).most_common()
    about = f"{len(failed)} of {len(rows)} trials failed: {', '.join(f'{n} × {kind}' for kind, n in kinds)}."
    items = "".join(
        f"<details><summary>trial {row.number}: {escaped(row.error or 'told as failed')}</summary>"
        f"<pre>{escaped(row.tail or '(it printed nothing)')}</pre><p>{escaped(tip_line(row))}</p></details>"
        for row in failed[-30:]
    )
    return _section("Failures", about, items, "wide")


def tip_line(row: TrialRow) -> str:
    """A configuration in one line."""
    return ", ".join(f"{name} = {abbreviate(value, 30)}" for name, value in row.configuration.items())


def _pairs(title: str, pairs: Mapping[str, Any]) -> str:
    if not pairs:
        return ""
    rows = "".join(f"<tr><th>{escaped(name)}</th><td>{escaped(value)}</td></tr>" for name, value in pairs.items())
    table = f'<table class="pairs"><tbody>{rows}</tbody></table>'
    return f'<section><h2>{escaped(title)}</h2><div class="scroll">{table}</div></section>'
