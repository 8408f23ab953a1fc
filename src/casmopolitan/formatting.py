"""Values as text: in error messages, labels, tables and progress bars."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Collection, Iterable, Sequence
from html import escape

import numpy as np

MANY = 8
"""How many values a message lists before it only counts the rest."""

PREFIX = "variable."
"""Prefix of the column of a variable whose name the table itself uses."""

SIMILAR_POOL = 2000
"""With more candidates than this, only one that differs in case is suggested: fuzzy matching would take too long."""


def short_repr(value: object, limit: int = 80) -> str:
    """Return the value's `repr`, cut to `limit` characters; the type's name if the value cannot be printed."""
    try:
        text = repr(value.item() if isinstance(value, np.generic) else value)
    except Exception as error:
        if isinstance(value, int) and isinstance(error, ValueError):  # Python does not print integers of thousands of digits
            return f"a very long {type(value).__name__}"
        return f"<{type(value).__name__}>"
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def join_values(values: object, many: int = MANY) -> str:
    """Return the values separated by commas: all of them if there are few, else the first ones and the total."""
    if not isinstance(values, Sequence) or isinstance(values, str):
        return short_repr(values)
    text = ", ".join(short_repr(value) for value in values[:many])
    return text if len(values) <= many else f"{text}, ... ({len(values)} in all)"


def first_few(texts: Sequence[str], rest: str, few: int = 5) -> list[str]:
    """Return all texts if there are at most twice as many as `few`, else the first few and `rest` with the number of others."""
    return list(texts) if len(texts) <= 2 * few else [*texts[:few], rest.format(len(texts) - few)]


def with_plain_truths(text: str) -> str:
    """Return a message with true and false as files have them, instead of Python's True and False; quotes stay as they are."""
    words = {"True": "true", "False": "false"}
    return re.sub(r"'[^']*'|\"[^\"]*\"|\b(?:True|False)\b", lambda match: words.get(match[0], match[0]), text)


def did_you_mean(value: object, known: Iterable[object]) -> str:
    """Return the question " Did you mean ...?", or "" if no known value is similar."""
    plain = value.item() if isinstance(value, np.generic) else value
    if plain is not None and not isinstance(plain, str | int | float):
        return ""
    spellings = {str(candidate).casefold(): candidate for candidate in reversed(list(known))}
    text = (str.__str__(plain) if isinstance(plain, str) else str(plain)).strip().casefold()
    if text in spellings:
        return f" Did you mean {spellings[text]!r}?"
    if isinstance(plain, int | float):
        numbers = [c for c in spellings.values() if isinstance(c, int | float) and not isinstance(c, bool)]
        equal = [number for number in numbers if number == plain]
        return f" Did you mean {equal[0]!r}?" if equal else ""
    near = difflib.get_close_matches(text, spellings, n=1) if len(spellings) <= SIMILAR_POOL else []
    return f" Did you mean {spellings[near[0]]!r}?" if near else ""


def did_you_mean_number(value: object, *, whole: bool) -> str:
    """Return the question " Did you mean 3?" for a number of another type, such as "3"; otherwise ""."""
    try:
        number = float(value) if isinstance(value, str | float | np.floating) else math.nan
    except ValueError:
        return ""
    if not math.isfinite(number) or (whole and not number.is_integer()):
        return ""
    return f" Did you mean {int(number) if whole else number!r}?"


def column_name(variable: str, taken: Collection[str]) -> str:
    """Return the column of a variable: its name, or 'variable.<name>' if the table itself uses that name (`taken`).

    No two variables share a column: 'value' becomes 'variable.value', so 'variable.value' becomes 'variable.variable.value'.
    """
    bare = variable
    while bare.startswith(PREFIX):
        bare = bare.removeprefix(PREFIX)
    return PREFIX + variable if bare in taken else variable


def significant_digits(values: Iterable[float | None]) -> int:
    """Return how many significant digits tell the values apart: 6, or up to 12 if the middle half lies close together."""
    found = sorted(value for value in values if value is not None)
    half = found[len(found) // 4 : (3 * len(found) + 3) // 4]
    apart = half[-1] - half[0] if half else 0.0
    if not 0.0 < apart < math.inf:
        return 6
    return min(max(math.ceil(math.log10(max(abs(half[0]), abs(half[-1]))) - math.log10(apart)) + 2, 6), 12)


def counted(count: int, noun: str) -> str:
    """Return a number with its noun: 1 trial, 2 trials."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def duration(seconds: float) -> str:
    """Return a duration in its usual form: 8 s, 2:05, 1:02:05."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minutes}:{second:02}"


def abbreviate(value: object, width: int = 14) -> str:
    """Return a value as a label: floats to four digits, long text cut in the middle, integers in full."""
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, float):
        return f"{value:.4g}"
    text = str(value)
    if isinstance(value, int):
        return text
    tail = (width - 1) // 3
    return text if len(text) <= width else f"{text[: width - 1 - tail]}…{text[len(text) - tail :]}"


def in_full(value: object) -> str:
    """Return a value in full, floats to twelve digits: precise enough to repeat a trial."""
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def html_table(rows: Iterable[Iterable[object]], header: Iterable[object] = ()) -> str:
    """Return a plain HTML table for notebooks; every cell is escaped."""

    def line(cells: Iterable[object], tag: str) -> str:
        inner = "".join(f"<{tag} style='text-align: left'>{escape(str(cell))}</{tag}>" for cell in cells)
        return f"<tr>{inner}</tr>"

    head = list(header)
    return f"<table>{line(head, 'th') if head else ''}{''.join(line(row, 'td') for row in rows)}</table>"
