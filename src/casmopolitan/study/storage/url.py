"""Database URLs: the supported kinds, their drivers, and how to show them without passwords."""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path
from urllib.parse import quote

from sqlalchemy.engine import make_url
from sqlalchemy.engine.url import URL
from sqlalchemy.exc import ArgumentError

from casmopolitan.errors import DataError, MissingExtraError

DEFAULT_URL = "sqlite:///casmopolitan.db"
"""The database used if none is given: a file in the working directory."""

KNOWN = ("sqlite", "postgresql", "mysql", "mariadb")

JOURNAL_MODES = ("wal", "delete", "truncate", "persist")
"""SQLite's journal modes that survive a killed process. Only the first is for local disks alone."""

SECRET = re.compile(r"([\w-]*(?:pass|secret|token|key)\w*=)[^&\s]*", re.IGNORECASE)
"""Query parameters and options whose values are never shown."""


def redacted(url: str) -> str:
    """Return a database URL with every password as ***, so that it can be shown.

    Args:
        url: A database URL; it may be malformed.

    Returns:
        The URL without passwords, tokens and keys.
    """
    shown = SECRET.sub(r"\1***", url)
    before, at, after = shown.rpartition("@")
    if not at:
        return shown
    scheme, separator, who = before.rpartition("://") if before.count("://") == 1 else ("", "", "")
    user, colon, _ = who.partition(":")
    if separator and not colon:
        return shown
    return f"{scheme}{separator}{user}{colon}***@{after}"


def completed_url(url: str) -> str:
    """Return the URL with its driver, psycopg for PostgreSQL; raise DataError if it is not a database URL."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise DataError(f"{redacted(url)!r} is not a database URL; an example is {DEFAULT_URL!r}") from None
    if parsed.drivername in ("postgres", "postgresql"):
        parsed = parsed.set(drivername="postgresql+psycopg")
    if backend(parsed) not in KNOWN:
        raise DataError(f"{redacted(url)!r} starts with {parsed.drivername!r}; supported databases are {', '.join(KNOWN)}")
    if parsed.drivername == "postgresql+psycopg" and importlib.util.find_spec("psycopg") is None:
        raise MissingExtraError("PostgreSQL", "psycopg", "postgres")
    return parsed.render_as_string(hide_password=False)


def located_url(storage: str, folder: Path) -> str:
    """Return a database URL of a study file: secrets from the environment, SQLite files relative to a folder."""
    whole = re.fullmatch(r"\$\{(\w+)\}", storage)
    # special characters of a password must be escaped in a URL
    inside = re.sub(r"\$\{(\w+)\}", lambda match: quote(os.environ[match[1]], safe=""), storage)
    url = os.environ[whole[1]] if whole else inside
    if url.startswith("sqlite:///"):
        file, mark, query = url.removeprefix("sqlite:///").partition("?")
        if file and file != ":memory:":
            place = URL.create("sqlite", database=str(folder / file)).render_as_string(hide_password=False)
            return f"{place}{mark}{query}"
    return url


def has_database(url: str) -> bool:
    """Return whether an SQLite file exists; True for other databases, which must be opened to find out."""
    parsed = make_url(completed_url(url))
    return not parsed.drivername.startswith("sqlite") or Path(parsed.database or "").exists()


def journal_mode(url: str) -> tuple[str, str]:
    """Return an SQLite URL without `?journal_mode=...`, and that mode: 'wal' by default."""
    parsed = make_url(url)
    mode = str(parsed.query.get("journal_mode", JOURNAL_MODES[0])).lower()
    if mode not in JOURNAL_MODES:
        raise DataError(f"{redacted(url)!r} has the journal mode {mode!r}; it must be one of {', '.join(JOURNAL_MODES)}")
    return parsed.difference_update_query(["journal_mode"]).render_as_string(hide_password=False), mode


def in_memory(url: str) -> bool:
    """Return whether the URL is that of an SQLite database that disappears with its process."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        return False
    file = parsed.database or ""
    return backend(parsed) == "sqlite" and (not file or ":memory:" in file or parsed.query.get("mode") == "memory")


def backend(url: URL) -> str:
    """Return the kind of database, without its driver."""
    return url.drivername.split("+")[0]
