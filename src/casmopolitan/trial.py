"""Trials, their explanations, and the value that marks a failure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from numbers import Complex, Real
from typing import Any, Final, Literal, TypeVar

import numpy as np

from casmopolitan.errors import DataError
from casmopolitan.formatting import html_table, short_repr

T = TypeVar("T")

Configuration = dict[str, Any]
Status = Literal["pending", "complete", "failed", "cancelled"]
Direction = Literal["minimize", "maximize"]

EXPLANATION_NUMBERS = ("radius", "length", "acquisition", "mean", "deviation", "success")
"""The keys of an explanation that hold a number, or None."""

EXPLANATION_FIELDS = ("source", "region", "centre", *EXPLANATION_NUMBERS, "structure", "note")
"""All keys of an explanation."""

EXPLANATION_COLUMNS = tuple(name for name in EXPLANATION_FIELDS if name != "centre")
"""The keys that fit in one cell of a table; the centre is a configuration."""


OUTCOME_FIELDS = ("feasible", "limits", "means", "deviations")
"""Further keys of an explanation: the probabilities that all limits and that each one are met, and the predictions of several
objectives."""


REASONS = {
    "initial": "Part of the initial design: the model needs some points to start from.",
    "acquisition": "The point near the best one, in the trust region, that promises the largest improvement.",
    "global": "The search leaves the trust region now and then to explore the whole space, so that no better region is missed; "
    "the predicted mean may be worse than the best value.",
    "restart": "The centre of a new trust region: the search of the last one has ended, and starts again elsewhere.",
    "given": "Not suggested: its configuration was given.",
}
"""Why a point was suggested, by its source. The note of a fallback says why."""

FOR_FRONT = "The point near one of the front, in the trust region, that promises the largest growth of the hypervolume."
"""The same for the source "acquisition" with a model of each of several objectives."""


def reason_of(explanation: Mapping[str, Any]) -> str:
    """Return in one sentence why a point was suggested, from its source, its note and the means of several objectives."""
    source, note = explanation.get("source"), str(explanation.get("note") or "")
    if note == "requested":
        return "One of the configurations to try first, as requested."
    if note.startswith("fixed in advance: "):
        return f"Requested, with these variables fixed in advance: {note.removeprefix('fixed in advance: ')}."
    if source == "fallback":
        return f"A random point: {note}." if note else "A random point."
    if source == "acquisition" and explanation.get("means"):
        return FOR_FRONT
    return REASONS.get(str(source), "")


def sign_of(direction: Direction) -> float:
    """Return +1 if smaller values are better, -1 if larger ones are: the core minimises."""
    return 1.0 if direction == "minimize" else -1.0


class Failed:
    """The type of FAILED."""

    def __repr__(self) -> str:
        return "FAILED"

    def __reduce__(self) -> str:
        """Pickle as a name, so that copies and results from other processes are FAILED itself."""
        return "FAILED"


FAILED: Final = Failed()
"""The value of a trial that could not be evaluated. NaN and infinities mean the same."""


def copied_on_read(*names: str) -> Callable[[type[T]], type[T]]:
    """Make fields of a frozen dataclass return a copy each time they are read, if they are dicts."""

    def decorate(cls: type[T]) -> type[T]:
        for name in names:
            setattr(cls, name, property(partial(_read_field, name), partial(_set_field, name)))
        return cls

    return decorate


def _read_field(name: str, owner: object) -> object:
    return _copied(vars(owner)[name])


def _set_field(name: str, owner: object, value: object) -> None:
    vars(owner)[name] = _copied(value)


def _copied(value: object) -> object:
    """Return a copy of a dict and of the dicts in it; anything else as it is."""
    if not isinstance(value, dict):
        return value
    return {key: dict(entry) if isinstance(entry, dict) else entry for key, entry in value.items()}


@copied_on_read("configuration", "explanation", "outcomes")
@dataclass(frozen=True)
class Trial:
    """One evaluation of the objective: its configuration, why it was suggested, and its value.

    A trial does not change: its dicts are copied each time they are read, so an objective may change the one it is given.
    Trials with the same number have the same hash, so they can be put in sets and used as keys.
    """

    number: int
    """The number of the trial, from 0, in the order in which trials are created."""
    configuration: Configuration
    """The value of every variable, by name: a plain dict, and a new copy at each access."""
    explanation: dict[str, Any] = field(default_factory=dict)
    """Why this configuration was suggested: source, region, centre, radius, length, acquisition, mean, deviation, success,
    structure, note and reason (one sentence). Past data only has a source and a region."""
    status: Status = "pending"
    """One of "pending", "complete", "failed" and "cancelled"."""
    value: float | None = None
    """The value of a completed trial, otherwise None; None if there are several objectives."""
    outcomes: dict[str, float | None] | None = None
    """All outcomes of a completed trial by name, None for those that were not measured; only if outcomes have names."""
    feasible: bool | None = None
    """Whether a completed trial meets all limits; None without limits, or if an unknown outcome leaves it open."""
    outside: bool = False
    """Whether the trial does not fit the space since `Optimizer.extend` has changed it: it is kept, but not modelled."""

    def _repr_html_(self) -> str:
        """Return the trial as a table, which notebooks show."""
        result = f"value {self.value:.6g}" if self.value is not None else ""
        known = {name: "unknown" if value is None else f"{value:.6g}" for name, value in (self.outcomes or {}).items()}
        caption = " ".join(filter(None, [f"Trial {self.number}: {self.status}", result]))
        return f"<p>{caption}</p>{html_table([*self.configuration.items(), *known.items()])}"

    def __hash__(self) -> int:
        """Return a hash of the number, which does not change when the trial is told."""
        return hash(self.number)


def measured(value: object) -> float | None:
    """Return a told value as a finite float, or None for a failure (FAILED, NaN, an infinity); DataError otherwise.

    A number is any object that converts to a float, such as an array or tensor with one element, but not a string, True, False
    or a complex number.
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
    """Return the float that an object converts to; TypeError, or the object's own error, if it is not a number."""
    if type(value) is float:
        return value
    if np.ma.is_masked(value):
        return math.nan  # a masked value is missing
    if getattr(getattr(value, "dtype", None), "kind", "") in ("m", "M"):
        raise TypeError("a time is not a number")
    if hasattr(value, "__array__") and hasattr(value, "item"):
        value = value.item()  # NumPy deprecates float() of an array with dimensions
    unordered = isinstance(value, Complex) and not isinstance(value, Real)
    if isinstance(value, bool | str | bytes) or unordered or not hasattr(value, "__float__"):
        raise TypeError(f"a {type(value).__name__} is not a number")
    return float(value)
