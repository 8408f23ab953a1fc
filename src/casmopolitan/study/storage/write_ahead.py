"""SQLite's write-ahead log: readers and writers do not block each other, where the file system allows it."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

MOUNTS = Path("/proc/self/mounts")
SHARED = ("nfs", "cifs", "smb", "9p", "afs", "ceph", "lustre", "gpfs", "beegfs", "glusterfs", "ocfs", "gfs", "fuse", "virtiofs")
"""File systems that several machines may share: the log's index lives in memory, which they do not share."""


def write_ahead(database: str | None) -> bool:
    """Switch a database file to write-ahead logging where it lies on a disk of this machine; whether that was done."""
    if not database or database == ":memory:" or database.startswith("file:") or not on_local_disk(Path(database)):
        return False
    with suppress(sqlite3.Error), closing(sqlite3.connect(database, timeout=10.0)) as connection:
        return bool(connection.execute("PRAGMA journal_mode=WAL").fetchone()[0] == "wal")
    return False


def on_local_disk(path: Path, mounts: Path = MOUNTS) -> bool:
    """Whether the file lies on a disk of this machine, as far as can be told; where it cannot, no."""
    try:
        lines = mounts.read_text("utf-8", "replace").splitlines()
    except OSError:
        return False
    whole = path.absolute()
    places = [(fields[1].replace("\\040", " "), fields[2]) for fields in map(str.split, lines) if len(fields) > 2]
    around = [(len(place), kind) for place, kind in places if whole.is_relative_to(place)]
    return bool(around) and not max(around)[1].startswith(SHARED)
