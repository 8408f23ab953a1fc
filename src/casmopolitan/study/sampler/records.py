"""The sampler's record of a trial: JSON in chunks, in Optuna's system attributes.

A record is valid only if all its chunks exist and were written together, so a writer that dies halfway leaves no record.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from optuna.storages import BaseStorage

PREFIX = "casmo:suggestion:"
FAILED = "casmo:failed"
OUTCOMES = "casmo:outcomes"
"""The user attribute of a trial of a study file with all its outcomes by name, None for those that were not measured."""
PARTIAL = "casmo:values"
"""The system attribute of a trial with some objectives unknown: all of them in the order of the study, None if unknown."""
COMMENT = "casmopolitan:comment"
"""The user attribute of a trial with a comment on its result, a text."""
NOTE = "casmo:run"
"""The user attribute of a trial of a study file with a note of its run: the worker, the ending, the last output."""
LONGEST = 2045
"""The characters of JSON that an attribute may have in every database and version of Optuna."""

MOST_CHUNKS = 10_000
"""The most chunks of a record; a space of a million variables fits."""


def chunks(record: Mapping[str, Any], writing: int) -> list[list[Any]]:
    """Return the attribute values of a record: [number of the writing, number of chunks, piece of the text]."""
    text = json.dumps(record, allow_nan=False, separators=(",", ":"))
    pieces, first = [], 0
    room = LONGEST - len(json.dumps([writing, MOST_CHUNKS, ""]))
    while first < len(text):
        length = room
        while len(json.dumps(text[first : first + length])) - 2 > room:
            length -= 32
        pieces.append(text[first : first + length])
        first += length
    return [[writing, len(pieces), piece] for piece in pieces]


def write(storage: BaseStorage, trial_id: int, record: Mapping[str, Any], writing: int = 0) -> None:
    """Write a record; it replaces the record of an earlier writing."""
    for i, chunk in enumerate(chunks(record, writing)):
        storage.set_trial_system_attr(trial_id, f"{PREFIX}{i}", chunk)


def read(attributes: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the record in a trial's system attributes; None if there is none, or if it is incomplete or damaged."""
    try:
        writing, count, piece = attributes[f"{PREFIX}0"]
        pieces = [piece]
        if not 0 < count <= MOST_CHUNKS:
            return None
        for i in range(1, count):
            again, same, piece = attributes[f"{PREFIX}{i}"]
            if (again, same) != (writing, count):
                return None
            pieces.append(piece)
        record = json.loads("".join(pieces))
    except (KeyError, TypeError, ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
