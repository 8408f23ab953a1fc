"""The event log as JSON: plain values and a version."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

import numpy as np

from casmopolitan.core.domain import Domain
from casmopolitan.core.outcomes import PLAIN, Outcomes
from casmopolitan.core.points import Points
from casmopolitan.core.state import Asked, Cancelled, Event, Given, Prediction, Provenance, Source, Suggestion, Told, Value
from casmopolitan.errors import CasmopolitanError, DataError
from casmopolitan.scalars import is_finite, is_whole
from casmopolitan.trial import EXPLANATION_NUMBERS

FORMAT = "casmopolitan-optimizer"
VERSION = 1
SOURCES = get_args(Source)


def point_to_dict(point: Points) -> dict[str, Any]:
    """Return one point as two lists."""
    return {"h": point.h[0].tolist(), "x": point.x[0].tolist()}


def point_from_dict(entry: Mapping[str, Any], domain: Domain) -> Points:
    """Return the point that `point_to_dict` wrote, checked against the domain."""
    h, x = np.array(entry["h"], dtype=np.int64), np.array(entry["x"], dtype=np.float64)
    if h.shape != (domain.d_h,) or x.shape != (domain.d_x,):
        raise DataError(f"a recorded point has {h.size} + {x.size} coordinates; the space has {domain.d_h} + {domain.d_x}")
    if ((h < 0) | (h >= domain.codes)).any() or not ((x >= 0) & (x <= 1)).all():
        raise DataError("a recorded point lies outside the space: the space has changed since the record was made")
    return Points(h[None], x[None])


def suggestion_to_dict(s: Suggestion) -> dict[str, Any]:
    """Return a suggestion with its explanation, without empty entries."""
    entry: dict[str, Any] = {**point_to_dict(s.point), "region": s.provenance.region, "source": s.provenance.source}
    decided = s.explanation()
    if s.provenance.centre is not None:
        entry["centre"] = point_to_dict(s.provenance.centre)
    for name in EXPLANATION_NUMBERS:
        value = decided[name]
        if value is not None and np.isfinite(value):
            entry[name] = value
    if s.prediction.theta is not None:
        entry["theta"] = list(s.prediction.theta)
    if s.prediction.feasible is not None:
        entry["feasible"] = s.prediction.feasible
    if s.prediction.limits is not None:
        entry["limits"] = {str(number): probability for number, probability in s.prediction.limits.items()}
    for name in ("means", "deviations"):
        if decided[name] is not None:
            entry[name] = list(decided[name])
    if s.prediction.thetas:
        entry["thetas"] = {str(place): list(theta) for place, theta in s.prediction.thetas.items()}
    if s.prediction.structure is not None:
        entry["structure"] = s.prediction.structure
    if s.provenance.note:
        entry["note"] = s.provenance.note
    return entry


def suggestion_from_dict(entry: Mapping[str, Any], domain: Domain) -> Suggestion:
    """Return the suggestion that `suggestion_to_dict` wrote."""
    if entry["source"] not in SOURCES:
        raise DataError(f"the record holds a suggestion from {entry['source']!r}; a source is one of {', '.join(SOURCES)}")
    radius = entry.get("radius")
    if radius is not None and not (is_whole(radius) and 0 <= radius <= domain.d_h):
        raise DataError(f"the record holds the radius {radius!r}; a radius is a whole number from 0 to {domain.d_h}")
    provenance = Provenance(
        int(entry["region"]),
        entry["source"],
        point_from_dict(entry["centre"], domain) if "centre" in entry else None,
        radius,
        value_from(entry.get("length")),
        str(entry.get("note", "")),
    )
    prediction = Prediction(
        value_from(entry.get("acquisition")),
        value_from(entry.get("mean")),
        value_from(entry.get("deviation")),
        value_from(entry.get("success")),
        _numbers(entry.get("theta", ())) or None,
        str(entry["structure"]) if "structure" in entry else None,
        value_from(entry.get("feasible")),
        {int(number): float(probability) for number, probability in entry["limits"].items()} if "limits" in entry else None,
        _numbers(entry.get("means", ())) or None,
        _numbers(entry.get("deviations", ())) or None,
        {int(place): _numbers(theta) for place, theta in entry.get("thetas", {}).items()},
    )
    return Suggestion(point_from_dict(entry, domain), provenance, prediction)


def _numbers(values: Iterable[object]) -> tuple[float, ...]:
    """Return recorded numbers, which are finite."""
    return tuple(number for number in map(value_from, values) if number is not None)


def event_to_dict(event: Event) -> dict[str, Any]:
    """Return one event as a dict; a failure has the value None, a trial with several outcomes a list of values."""
    match event:
        case Asked(number, suggestion):
            return {"event": "asked", "trial": number, **suggestion_to_dict(suggestion)}
        case Told(number, value):
            return {"event": "told", "trial": number, "value": list(value) if isinstance(value, tuple) else value}
        case Given(number, point, value):
            shown = list(value) if isinstance(value, tuple) else value
            return {"event": "given", "trial": number, **point_to_dict(point), "value": shown}
        case Cancelled(number):
            return {"event": "cancelled", "trial": number}


def event_from_dict(entry: Mapping[str, Any], domain: Domain) -> Event:
    """Return the event that `event_to_dict` wrote."""
    kind, number = entry.get("event"), entry["trial"]
    if not is_whole(number):
        raise DataError(f"the record holds an event of trial {number!r}; trials have whole numbers")
    if kind == "asked":
        return Asked(number, suggestion_from_dict(entry, domain))
    if kind == "told":
        return Told(number, outcome_from(entry["value"]))
    if kind == "given":
        return Given(number, point_from_dict(entry, domain), outcome_from(entry["value"]))
    if kind == "cancelled":
        return Cancelled(number)
    raise DataError(f"the record holds an event of unknown kind {kind!r}")


def outcome_from(value: object) -> Value:
    """Return a recorded value, or the values of several outcomes."""
    return tuple(map(value_from, value)) if isinstance(value, list) else value_from(value)


def value_from(value: object) -> float | None:
    """Return a recorded value: a finite number, or None for a failure."""
    if value is None:
        return None
    if not is_finite(value):
        raise DataError(f"the record holds the value {value!r}; a value is a finite number, or null for a failure")
    return float(value)


def checked(event: Event, asked: int, pending: Collection[int], region: int, outcomes: Outcomes = PLAIN) -> Event:
    """Return the event if it may come next in a log: new trials are numbered in order, other events end a pending trial.

    `asked` is the number of trials so far, `pending` those that have not ended, `region` the number of the current region.
    """
    if isinstance(event, Told | Given) and event.value is not None:
        found = len(event.value) if isinstance(event.value, tuple) else None
        expected = None if outcomes.plain else outcomes.count
        if found != expected:
            has, needs = (f"{count} outcomes" if count else "a single number" for count in (found, expected))
            raise DataError(f"the record is damaged: trial {event.number} has {has} instead of {needs}")
    if isinstance(event, Asked | Given):
        if event.number != asked:
            raise DataError(f"the record is damaged: expected trial {asked}, found trial {event.number}")
        if isinstance(event, Asked) and not 0 <= event.suggestion.provenance.region <= region + 1:
            raise DataError(
                f"the record is damaged: trial {asked} is in region {event.suggestion.provenance.region} after region {region}"
            )
    elif event.number not in pending:
        raise DataError(f"the record is damaged: trial {event.number} ends, but it is not pending")
    return event


def read(source: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the document of a saved optimiser, given its path or its JSON text; DataError for anything else."""
    try:
        text = source if isinstance(source, str) and source.lstrip()[:1] in ("", "{") else Path(source).read_text("utf-8")
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"this is not a saved optimiser: {error}") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise DataError(f"this is not a saved optimiser: its 'format' should be {FORMAT!r}")
    if document.get("version") != VERSION:
        raise DataError(
            f"the record has version {document.get('version')!r}; this casmopolitan reads version {VERSION}. "
            "Update casmopolitan, or save the record again with the version that wrote it"
        )
    return document


def written(*, events: Iterable[Event | Mapping[str, Any]], **fields: Any) -> str:
    """Return the JSON text of a saved optimiser: the fields that describe it, and its events, some of them as JSON already."""
    entries = [event_to_dict(event) if isinstance(event, Event) else event for event in events]
    document = {"format": FORMAT, "version": VERSION, **fields, "events": entries}
    return json.dumps(document, allow_nan=False)


@contextmanager
def report_damage() -> Iterator[None]:
    """Turn any error that a malformed record causes inside the block into a DataError."""
    try:
        yield
    except CasmopolitanError:
        raise
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, OverflowError) as error:
        raise DataError(f"the record is damaged: {type(error).__name__} at {error}") from None
