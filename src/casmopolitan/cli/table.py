"""Tables of trials in a terminal, in which no value is cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from casmopolitan.analysis.row import TrialRow
from casmopolitan.goals import ONE_OBJECTIVE, Goals
from casmopolitan.scalars import key
from casmopolitan.space import Real, Space, Variable
from casmopolitan.spreadsheet.cells import Cells

UNLIMITED = 10**6
"""A console width that no table needs."""
FEASIBLE = {True: "yes", False: "no", None: "unknown"}


def print_trials(
    console: Console, rows: Sequence[TrialRow], names: Sequence[str], digits: int = 6, goals: Goals = ONE_OBJECTIVE
) -> None:
    """Print one line per trial, with one column per outcome and per variable, and values to this many digits.

    If the columns do not fit the terminal, and most variables are equal in all rows, the equal ones are printed once above.
    If the others still do not fit, they share one column with line breaks. Without a terminal every column fits.
    """
    columns = {name: _texts(rows, name) for name in names}
    shared: dict[str, list[str]] = {}
    facts = _facts(rows, digits, goals)
    if not _fits(console, _table(facts, columns)):
        equal = [name for name in names if len({key(row.configuration.get(name)) for row in rows}) == 1]
        if 2 * len(equal) >= len(names) and len(rows) > 1:
            shared = {name: columns[name] for name in equal}
        columns = {name: texts for name, texts in columns.items() if name not in shared}
        if not _fits(console, _table(facts, columns)):
            columns = {"configuration": [_pairs(columns, k) for k in range(len(rows))]}
    if not console.is_terminal:
        console.width = UNLIMITED
    console.print(_table(facts, columns), soft_wrap=False)
    if shared:
        console.print(Text(f"in common: {_pairs(shared, 0)}", overflow="fold"), soft_wrap=False)


def _fits(console: Console, table: Table) -> bool:
    return not console.is_terminal or _width(console, table) <= console.width


def _width(console: Console, table: Table) -> int:
    return console.measure(table, options=console.options.update(max_width=UNLIMITED)).maximum


def _facts(rows: Sequence[TrialRow], digits: int, goals: Goals) -> dict[str, list[str]]:
    """Return the columns that are not variables."""
    facts: dict[str, list[str]] = {"trial": [str(row.number) for row in rows], "state": [row.state for row in rows]}
    if goals.outcomes.plain:
        facts[goals.order[0]] = ["" if row.value is None else f"{row.value:.{digits}g}" for row in rows]
    else:
        facts |= {_heading(name, goals): [_outcome(row, name) for row in rows] for name in goals.order}
    if goals.limits:
        facts["feasible"] = [FEASIBLE[row.feasible] if row.state == "complete" else "" for row in rows]
    for name in rows[0].means or () if rows else ():
        facts[f"model's {name}"] = ["" if row.means is None else f"{row.means[name]:.6g}" for row in rows]
    if any(row.predicted is not None for row in rows):
        facts["model's mean"] = ["" if row.predicted is None else f"{row.predicted:.{digits}g}" for row in rows]
    if any((row.evaluations or 1) > 1 for row in rows):
        facts["evaluations"] = [str(row.evaluations) for row in rows]
    return facts


def _heading(name: str, goals: Goals) -> str:
    """Return the heading of an outcome, with its limit."""
    return f"{name} {goals.limits[name]}" if name in goals.limits else name


def _outcome(row: TrialRow, name: str) -> str:
    value = None if row.outcomes is None else row.outcomes[name]
    return "" if row.outcomes is None else "unknown" if value is None else f"{value:.6g}"


def _table(facts: dict[str, list[str]], columns: dict[str, list[str]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in facts:
        table.add_column(Text(name), justify="left" if name == "state" else "right", no_wrap=True)
    for name in columns:
        table.add_column(Text(_text(name)), overflow="fold")
    for cells in zip(*facts.values(), *columns.values(), strict=True):
        table.add_row(*map(Text, cells))
    return table


def _texts(rows: Sequence[TrialRow], name: str) -> list[str]:
    """Return the values of a variable in full, floats to as many digits as tell them apart, at least four."""
    values = [row.configuration.get(name) for row in rows]
    floats = {value for value in values if isinstance(value, float)}
    digits = next((n for n in range(4, 17) if len({f"{value:.{n}g}" for value in floats}) == len(floats)), 17)
    return [_text(value, digits) if name in row.configuration else "" for row, value in zip(rows, values, strict=True)]


def _text(value: Any, digits: int = 4) -> str:
    """Return a value as text; empty text and text that would break the line are quoted."""
    text = f"{value:.{digits}g}" if isinstance(value, float) else str(value)
    return text if text and text.isprintable() else repr(text)


def one_line_of(text: str) -> str:
    """Return text on one line; quoted if it has characters that a terminal would not show."""
    return _text(" ".join(text.split()))


def _pairs(columns: dict[str, list[str]], k: int) -> str:
    return ", ".join(f"{_text(name)}={texts[k]}" for name, texts in columns.items() if texts[k])


def print_experiments(console: Console, rows: Sequence[TrialRow], space: Space) -> None:
    """Print experiments to be run by hand: nothing is cut, no integer is rounded, reals have six digits. Predictions come last.

    The experiments are printed below each other if a table does not fit.
    """
    texts = [{name: _exact_text(space[name], value) for name, value in row.configuration.items()} for row in rows]
    expected = _predictions(rows)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("trial", justify="right", no_wrap=True)
    for name in (*space, *expected):
        table.add_column(Text(name), no_wrap=True)
    for k, (row, text) in enumerate(zip(rows, texts, strict=True)):
        cells = [*(text.get(name, "") for name in space), *(column[k] for column in expected.values())]
        table.add_row(str(row.number), *map(Text, cells))
    if _width(console, table) <= console.width:
        console.print(table)
        return
    for k, (row, text) in enumerate(zip(rows, texts, strict=True)):
        console.print(Text(f"trial {row.number}", style="bold"))
        shown = {**text, **{name: column[k] for name, column in expected.items() if column[k]}}
        print_pairs(console, [(f"  {name}", value) for name, value in shown.items()])


def _predictions(rows: Sequence[TrialRow]) -> dict[str, list[str]]:
    """Return what the model predicts for each row, by column: values and their deviations, and chances; no empty columns."""
    columns: dict[str, list[str]] = {}
    for k, row in enumerate(rows):
        why = row.explanation
        means, deviations = why.get("means") or {"": why.get("mean")}, why.get("deviations") or {"": why.get("deviation")}
        found = {
            f"predicted {name}".rstrip(): f"{mean:.4g} ± {deviations[name]:.2g}"
            for name, mean in means.items()
            if mean is not None and deviations.get(name) is not None
        }
        chances = {"success": why.get("success"), "limits met": why.get("feasible")}
        found |= {name: f"{chance:.0%}" for name, chance in chances.items() if chance is not None}
        for name, text in found.items():
            columns.setdefault(name, [""] * len(rows))[k] = text
    return columns


def _exact_text(variable: Variable, value: Any) -> str:
    return f"{value:.6g}" if isinstance(variable, Real) and variable.grid is None else Cells(variable).spelling(value)


def print_pairs(console: Console, entries: Sequence[tuple[str, Any]]) -> None:
    """Print names and values, one pair per line."""
    width = max((len(name) for name, _ in entries), default=0)
    for name, value in entries:
        console.print(Text.assemble((name.ljust(width + 2), "dim"), str(value)))
