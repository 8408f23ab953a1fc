"""The words people may use as choices, how one is told from another, and how an error spells them."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence
from typing import TypeGuard

import numpy as np

Scalar = str | int | float | bool | None
"""What JSON can say in one word."""

Key = tuple[type, Scalar]
"""Identity of a scalar: 1, True, 1.0, "1" and None are five different ones."""

MANY = 8
"""How many values an error or a `repr` spells out before it only counts them."""


NEAR_POOL = 2000
"""Among more words than this only another spelling of the same word is suggested: looking for similar ones takes long."""


class MisfitError(ValueError):
    """A value does not fit a variable; the text continues a sentence that starts with the variable's name."""


def native(value: object) -> Scalar:
    """The plain Python scalar behind a value, numpy's and enumerations' included; TypeError when there is none."""
    if value is None or isinstance(value, bool | np.bool_):
        return None if value is None else bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value)
    if isinstance(value, str):
        return str.__str__(value)
    raise TypeError(f"{value!r} is a {type(value).__name__}")


def key(value: Scalar) -> Key:
    """The identity of a native scalar: its type and its value."""
    return type(value), value


def is_number(value: object) -> TypeGuard[float]:
    """Whether the value is an int or a float; True and False are words, not numbers."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def is_whole(value: object) -> TypeGuard[int]:
    """Whether the value is an integer by type; True and False are not."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_finite(value: object) -> TypeGuard[float]:
    """Whether the value is a number that a float can carry: neither nan nor infinite nor too large."""
    try:
        return is_number(value) and math.isfinite(float(value))
    except OverflowError:
        return False


def spelt(value: object) -> str:
    """A value as an error shows it: its repr, cut when it is long."""
    try:
        text = repr(value.item() if isinstance(value, np.generic) else value)
    except ValueError:  # Python declines to print integers of thousands of digits
        return f"a very long {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:77]}..."


def listed(values: object, many: int = MANY) -> str:
    """Values in a row: all of a few, the first of many and their number."""
    if not isinstance(values, Sequence) or isinstance(values, str):
        return spelt(values)
    shown = ", ".join(spelt(value) for value in values[:many])
    return shown if len(values) <= many else f"{shown}, ... ({len(values)} in all)"


def did_you_mean(value: object, known: Iterable[Scalar]) -> str:
    """The question " Did you mean ...?", or nothing when no known word is near."""
    try:
        word = native(value)
    except TypeError:
        return ""
    spellings = {str(candidate).casefold(): candidate for candidate in reversed(list(known))}
    text = str(word).strip().casefold()
    if text in spellings:
        return f" Did you mean {spellings[text]!r}?"
    if isinstance(word, int | float):
        equal = [candidate for candidate in spellings.values() if is_number(candidate) and candidate == word]
        return f" Did you mean {equal[0]!r}?" if equal else ""
    near = difflib.get_close_matches(text, spellings, n=1) if len(spellings) <= NEAR_POOL else []
    return f" Did you mean {spellings[near[0]]!r}?" if near else ""


def did_you_mean_number(value: object, *, whole: bool) -> str:
    """The question " Did you mean 3?" for a number written as another type, or nothing when it is none."""
    try:
        number = float(value) if isinstance(value, str | float | np.floating) else math.nan
    except ValueError:
        return ""
    if not math.isfinite(number) or (whole and not number.is_integer()):
        return ""
    return f" Did you mean {int(number) if whole else number!r}?"
