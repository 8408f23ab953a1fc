"""Trials below each other in a terminal: no word cut, and what all of them have in common said once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.text import Text

from casmopolitan.scalars import key
from casmopolitan.study.trials.row import TrialRow

GAP = 2

Column = list[str]
"""A heading, and a text for each row."""


def listed(console: Console, rows: Sequence[TrialRow], names: Sequence[str], digits: int = 6) -> None:
    """The rows with a column a variable, where those fit the terminal; values to as many digits as shall be shown.

    Where they do not, variables that are alike in all rows are named once, if that is most of them, and the others stand in
    one column, wrapped. Without a terminal every column fits.
    """
    room = console.width if console.is_terminal else math.inf
    facts = _facts(rows, digits)
    every = {name: _column(rows, name) for name in names}
    hidden = [] if _width([*facts, *every.values()]) <= room else _shared(rows, names)
    shown = [name for name in names if name not in hidden]
    columns = [*facts, *(every[name] for name in shown)]
    if _width(columns) <= room:
        _printed(console, columns)
    else:
        _wrapped(console, facts, [_pairs(row, shown) for row in rows])
    if hidden:
        head = "in common: "
        said = f"\n{' ' * len(head)}".join(_packed(_pairs(rows[0], hidden), console.width - len(head)))
        console.print(Text(head + said), soft_wrap=True)


def _shared(rows: Sequence[TrialRow], names: Sequence[str]) -> list[str]:
    """The variables that are alike in all rows, where that is most of them."""
    alike = [name for name in names if len({key(row.configuration.get(name)) for row in rows}) == 1]
    return alike if 2 * len(alike) >= len(names) and len(rows) > 1 else []


def _facts(rows: Sequence[TrialRow], digits: int) -> list[Column]:
    """What is told of every trial beside its configuration."""
    made = [
        ["trial", *(str(row.number) for row in rows)],
        ["state", *(row.state for row in rows)],
        ["value", *("" if row.value is None else f"{row.value:.{digits}g}" for row in rows)],
    ]
    if any(row.predicted is not None for row in rows):
        made.append(["model's mean", *("" if row.predicted is None else f"{row.predicted:.{digits}g}" for row in rows)])
    if any((row.evaluations or 1) > 1 for row in rows):
        made.append(["evaluations", *(str(row.evaluations) for row in rows)])
    return [column if column[0] == "state" else _to_the_right(column) for column in made]


def _to_the_right(column: Column) -> Column:
    return [text.rjust(_width([column])) for text in column]


def _column(rows: Sequence[TrialRow], name: str) -> Column:
    return [_word(name), *(_word(row.configuration[name]) if name in row.configuration else "" for row in rows)]


def _word(value: Any) -> str:
    """A value uncut: real numbers to four digits, and in quotes what would break the line."""
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if text.isprintable() else repr(text)


def _pairs(row: TrialRow, names: Iterable[str]) -> list[str]:
    return [f"{_word(name)}={_word(row.configuration[name])}" for name in names if name in row.configuration]


def _width(columns: Sequence[Column]) -> int:
    """How wide columns are beside each other."""
    return sum(max(map(cell_len, column)) for column in columns) + GAP * (len(columns) - 1)


def _lines(columns: Sequence[Column]) -> list[str]:
    """Columns beside each other."""
    padded = [[text + " " * (_width([column]) - cell_len(text)) for text in column] for column in columns]
    return [(" " * GAP).join(cells).rstrip() for cells in zip(*padded, strict=True)]


def _printed(console: Console, columns: Sequence[Column]) -> None:
    for k, line in enumerate(_lines(columns)):
        console.print(Text(line, style="" if k else "bold"), soft_wrap=True)


def _wrapped(console: Console, facts: Sequence[Column], configurations: Sequence[Sequence[str]]) -> None:
    """One column for the configuration, on as many lines as it takes; below the value where beside it is less than half."""
    beside = _width(facts) + GAP
    below = 2 * beside > console.width
    indent = 4 if below else beside
    texts = ["configuration", *("\n".join(_packed(pairs, console.width - indent)) for pairs in configurations)]
    for k, (line, text) in enumerate(zip(_lines(facts), texts, strict=True)):
        start = f"{line}\n{' ' * indent}" if below else line.ljust(indent)
        whole = (start + text.replace("\n", f"\n{' ' * indent}")).rstrip()
        console.print(Text(whole, style="" if k else "bold"), soft_wrap=True)


def _packed(pairs: Sequence[str], width: int) -> list[str]:
    """Pairs with commas between them, in lines of at most this width; one that is longer goes on in the next line."""
    lines: list[str] = []
    for k, pair in enumerate(pairs):
        text = pair if k == len(pairs) - 1 else f"{pair},"
        if lines and cell_len(f"{lines[-1]} {text}") <= width:
            lines[-1] += f" {text}"
        else:
            lines += chop_cells(text, max(width, 1))
    return lines
