"""Addresses of databases: which are known, how they are completed, and how they are shown without their secrets."""

from __future__ import annotations

import importlib.util
import re

from sqlalchemy.engine import make_url
from sqlalchemy.engine.url import URL
from sqlalchemy.exc import ArgumentError

from casmopolitan.errors import DataError, MissingExtraError

DEFAULT_URL = "sqlite:///casmopolitan.db"
"""Where a study lives when nothing is said: a file in the working directory."""

KNOWN = ("sqlite", "postgresql", "mysql", "mariadb")

SECRET = re.compile(r"([\w-]*(?:pass|secret|token|key)\w*=)[^&\s]*", re.IGNORECASE)
"""Query parameters and options whose values are never shown."""


def redacted(url: str) -> str:
    """The address as a message may show it: whatever may be a password as ***, also where the address is malformed."""
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
    """The address with its driver: PostgreSQL is reached through psycopg. DataError for what is no database's address."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise DataError(f"{redacted(url)!r} is no address of a database; an example is {DEFAULT_URL!r}") from None
    if parsed.drivername in ("postgres", "postgresql"):
        parsed = parsed.set(drivername="postgresql+psycopg")
    if backend(parsed) not in KNOWN:
        raise DataError(f"{redacted(url)!r} begins with {parsed.drivername!r}; databases are {', '.join(KNOWN)}")
    if parsed.drivername == "postgresql+psycopg" and importlib.util.find_spec("psycopg") is None:
        raise MissingExtraError("PostgreSQL", "psycopg", "postgres")
    return parsed.render_as_string(hide_password=False)


def in_memory(url: str) -> bool:
    """Whether the address is that of an SQLite database which is gone with its process."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        return False
    file = parsed.database or ""
    return backend(parsed) == "sqlite" and (not file or ":memory:" in file or parsed.query.get("mode") == "memory")


def backend(url: URL) -> str:
    """The kind of database, without its driver."""
    return url.drivername.split("+")[0]
