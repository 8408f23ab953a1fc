"""What the sampler writes with each trial: JSON in chunks, in Optuna's system attributes, and nothing else.

A record counts only when all its chunks are there and of one writing, so a writer that dies on the way leaves no record.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from optuna.storages import BaseStorage

PREFIX = "casmo:suggestion:"
FAILED = "casmo:failed"
NOTE = "casmo:run"
"""The user attribute of a trial in which its run is recorded: who ran it, how it ended, what it printed."""
LONGEST = 2045
"""The longest attribute that every version of every database of Optuna's takes, in characters of JSON."""

MOST_CHUNKS = 10_000
"""No record has more chunks: a space of a million variables fits."""


def chunks(record: Mapping[str, Any], writing: int) -> list[list[Any]]:
    """The attributes' values for a record: [number of the writing, number of chunks, piece of the text]."""
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
    """Write a record; a later writing replaces an earlier one."""
    for i, chunk in enumerate(chunks(record, writing)):
        storage.set_trial_system_attr(trial_id, f"{PREFIX}{i}", chunk)


def read(attributes: Mapping[str, Any]) -> dict[str, Any] | None:
    """The record among a trial's system attributes; None when there is none, or one torn or damaged."""
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
