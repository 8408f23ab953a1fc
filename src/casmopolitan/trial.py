"""What people hold in their hands: a trial, its explanation, and the word for failure."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Final, Literal

import numpy as np

from casmopolitan.errors import DataError

Configuration = dict[str, Any]
Status = Literal["pending", "complete", "failed", "cancelled"]
Direction = Literal["minimize", "maximize"]


def sign_of(direction: Direction) -> float:
    """+1 where smaller values are better, -1 where larger ones are: the core minimises."""
    return 1.0 if direction == "minimize" else -1.0


class Failed:
    """The type of FAILED."""

    def __repr__(self) -> str:
        return "FAILED"

    def __reduce__(self) -> str:
        """There is but one: copies, and what comes back from another process, are FAILED itself."""
        return "FAILED"


FAILED: Final = Failed()
"""Tell this (or nan, or an infinity) for a trial that could not be evaluated."""


@dataclass(frozen=True)
class Trial:
    """One evaluation: what to run, why (`explanation`), and what came of it."""

    number: int
    configuration: Configuration
    explanation: dict[str, Any] = field(default_factory=dict)
    status: Status = "pending"
    value: float | None = None


def digits(values: Iterable[float | None]) -> int:
    """How many significant digits tell values apart: six, or up to twelve where half of them lie close together."""
    found = sorted(value for value in values if value is not None)
    half = found[len(found) // 4 : (3 * len(found) + 3) // 4]
    apart = half[-1] - half[0] if half else 0.0
    if not 0.0 < apart < math.inf:
        return 6
    return min(max(math.ceil(math.log10(max(abs(half[0]), abs(half[-1]))) - math.log10(apart)) + 2, 6), 12)


def measured(value: object) -> float | None:
    """A told value as a finite float, or None for a failure (FAILED, nan, an infinity); anything else is an error."""
    if value is FAILED:
        return None
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise DataError(f"a value must be a number, nan, an infinity or FAILED; got {value!r} of type {type(value).__name__}")
    try:
        number = float(value)
    except OverflowError:
        raise DataError("a value must fit a float; got one beyond 1e308. Tell FAILED, or rescale the objective") from None
    return number if math.isfinite(number) else None
