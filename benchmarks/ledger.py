"""Results as JSON lines, one line per cell. A line cut short by a kill is dropped; complete lines are kept."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Record = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """One run of one method: the key under which its result is found again."""

    problem: str
    method: str
    seed: int
    budget: int
    batch: int = 1
    start: str = "shared"
    """The first points: "shared", 20 random ones that every method of a seed is given, "96", so many of them, or its "own"."""

    @staticmethod
    def of(record: Record) -> Cell:
        return Cell(*(record[name] for name in ("problem", "method", "seed", "budget", "batch")), record.get("start", "shared"))


def read(path: Path) -> list[Record]:
    """Return every complete line; of several lines about one cell, the last."""
    if not path.exists():
        return []
    records = {}
    complete, _, _torn = path.read_text(encoding="utf-8").rpartition("\n")
    for number, line in enumerate(complete.splitlines(), start=1):
        try:
            record = json.loads(line)
            records[Cell.of(record)] = record
        except (ValueError, KeyError, TypeError) as error:
            raise SystemExit(f"{path}, line {number}, is no result ({error}); remove the line or the file.") from error
    return list(records.values())


def append(path: Path, record: Record) -> None:
    """Write one line in one call and flush it to the disk before returning."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def drop_torn_line(path: Path) -> None:
    """Cut the file after its last complete line."""
    if path.exists() and (content := path.read_bytes()) and not content.endswith(b"\n"):
        os.truncate(path, content.rfind(b"\n") + 1)


def unfinished(cells: Iterable[Cell], records: Iterable[Record], *, retry: bool) -> list[Cell]:
    """Return the cells without a result; with `retry` also those that failed."""
    finished = {Cell.of(record) for record in records if not (retry and record["status"] == "failed")}
    return [cell for cell in cells if cell not in finished]
