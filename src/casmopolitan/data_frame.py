"""Many trials with their values: from lists, arrays and data frames."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from casmopolitan.errors import DataError, MisfitError
from casmopolitan.formatting import short_repr
from casmopolitan.space import Integer, Ordinal, Space, Variable


def paired(space: Space, trials: object, values: object) -> list[tuple[Any, Any]]:
    """Return each trial with its value; both may be data frames, with one column per variable or outcome."""
    if is_frame(trials):
        trials = [_configuration(space, row) for row in rows_of(trials)]
    values = rows_of(values) if is_frame(values) else values
    problems = []
    if isinstance(trials, str | bytes | Mapping) or not isinstance(trials, Iterable):
        problems.append(f"trials is {short_repr(trials)}; give a list of trials, numbers or configurations, or a data frame")
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        problems.append(f"values is {short_repr(values)}; give one value per trial: a list, an array or a column")
    if not problems:
        left, right = list(trials), list(values)  # type: ignore[call-overload]
        if len(left) == len(right):
            return list(zip(left, right, strict=True))
        problems.append(f"there are {len(left)} trials and {len(right)} values; give one value per trial")
    raise DataError("\n  ".join(problems))


def split(frame: Any, outcomes: Sequence[str]) -> tuple[Any, Any]:
    """Return the columns of the variables and those of the outcomes of a data frame that has both."""
    if not is_frame(frame):
        raise DataError("values is missing; give one value per trial, or a data frame with columns for variables and values")
    columns = list(frame.columns)
    if missing := [name for name in outcomes if name not in columns]:
        raise DataError(
            f"the data frame has no column {', '.join(map(repr, missing))} for the values; rename one, or give values="
        )
    others = [name for name in columns if name not in outcomes]
    return frame[others], frame[outcomes[0]] if len(outcomes) == 1 else frame[list(outcomes)]


def is_frame(value: object) -> bool:
    """Return whether a value is a data frame, of any library: it has `columns`, and `frame[name]` is one of them."""
    return hasattr(value, "columns") and hasattr(value, "__getitem__")


def rows_of(frame: Any) -> list[dict[str, Any]]:
    """Return the rows of a data frame; empty cells are None."""
    columns = {str(name): [None if _is_empty(cell) else cell for cell in frame[name]] for name in frame.columns}
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def _is_empty(cell: object) -> bool:
    """Return whether a cell has no value: it is None, NaN, or pandas' NA, which is neither equal to itself nor different."""
    try:
        return cell is None or bool(cell != cell)  # only NaN differs from itself
    except TypeError:
        return True


def _configuration(space: Space, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row as a configuration: without the empty cells of variables that exist only sometimes.

    A column with empty cells holds floats, so whole numbers of such variables are converted back.
    """
    conditional = {name for name in row if name in space and space[name].when is not None}
    kept = {name: cell for name, cell in row.items() if cell is not None or name not in conditional}
    return kept | {name: _whole(space[name], kept[name]) for name in conditional & kept.keys()}


def _whole(variable: Variable, cell: Any) -> Any:
    """Return a float as an int if it is whole and the variable does not take floats."""
    if isinstance(cell, float) and cell.is_integer() and isinstance(variable, Integer | Ordinal):
        with contextlib.suppress(MisfitError):
            return variable.read(int(cell))
    return cell
