"""The description of a program that evaluates configurations, and the placeholders of its command."""

from __future__ import annotations

import re
from typing import Literal, Protocol

RESERVED = ("trial", "result_file")
"""Placeholders of a command that are not variables: the trial's number, and the file its value is read from."""
PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
"""A placeholder of a command, an escaped brace, or a single brace."""


class Objective(Protocol):
    """A Python function or a command, how its value is read, and its limits; the study file's `[objective]` is one."""

    function: str | None
    command: list[str] | None
    stdin: Literal["nothing", "json"]
    value: Literal["last line", "file"]
    key: str
    folder: str
    environment: dict[str, str]
    time_limit: float | None
    memory_limit: int | None
    retries: int
