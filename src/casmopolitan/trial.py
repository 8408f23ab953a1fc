"""What people hold in their hands: a trial, its explanation, and the word for failure."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from numbers import Complex, Real
from typing import Any, Final, Literal

import numpy as np

from casmopolitan.errors import DataError
from casmopolitan.formatting import short_repr

Configuration = dict[str, Any]
Status = Literal["pending", "complete", "failed", "cancelled"]
Direction = Literal["minimize", "maximize"]

EXPLANATION_NUMBERS = ("radius", "length", "acquisition", "mean", "deviation", "success")
"""The keys of an explanation that hold a number, or None."""

EXPLANATION_FIELDS = ("source", "region", "centre", *EXPLANATION_NUMBERS, "note")
"""The keys of an explanation, wherever one is shown, written or read."""

EXPLANATION_COLUMNS = tuple(name for name in EXPLANATION_FIELDS if name != "centre")
"""The keys that fit in one cell of a table; the centre is a configuration."""


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

    def __hash__(self) -> int:
        """By its number, which is the trial's own in a run: for sets and dicts of trials."""
        return hash(self.number)


def measured(value: object) -> float | None:
    """A told value as a finite float, or None for a failure (FAILED, nan, an infinity); anything else is an error.

    Whatever makes a float of itself is a number, arrays and tensors of one element too; words, True, False and complex are not.
    """
    if value is FAILED:
        return None
    try:
        number = as_float(value)
    except OverflowError:
        raise DataError("a value must fit a float; got one beyond 1e308. Tell FAILED, or rescale the objective") from None
    except Exception:
        kind = type(value).__name__
        raise DataError(
            f"a value must be a number, nan, an infinity or FAILED; got {short_repr(value)} of type {kind}"
        ) from None
    return number if math.isfinite(number) else None


def as_float(value: Any) -> float:
    """The float that an object makes of itself; TypeError, or what the object raises, where it is no number."""
    if np.ma.is_masked(value):
        return math.nan  # there is no value
    if getattr(getattr(value, "dtype", None), "kind", "") in ("m", "M"):
        raise TypeError("a time is no number")
    if hasattr(value, "__array__") and hasattr(value, "item"):
        value = value.item()  # of one element; a float of an array with dimensions is on its way out of NumPy
    unordered = isinstance(value, Complex) and not isinstance(value, Real)
    if isinstance(value, bool | str | bytes) or unordered or not hasattr(value, "__float__"):
        raise TypeError(f"a {type(value).__name__} is no number")
    return float(value)
