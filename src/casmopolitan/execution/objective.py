"""The description of a program that evaluates configurations, and the placeholders of its command."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

RESERVED = ("trial", "result_file")
"""Placeholders of a command that are not variables: the trial's number, and the file its value is read from."""
EVERY = "*"
"""The placeholder that is replaced by one argument per variable that no other placeholder names."""
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


def filled_command(command: Sequence[str], configuration: Mapping[str, Any], others: Mapping[str, str]) -> list[str]:
    """Return a command with the values of a configuration; `others` are the reserved placeholders.

    An argument that names a variable which does not exist in the configuration is left out.
    """
    values = {name: value if isinstance(value, str) else json.dumps(value) for name, value in configuration.items()}
    named = {name for argument in command for name in names_in(argument)}
    found: list[str] = []
    for argument in command:
        if names_in(argument) == {EVERY}:
            rest = {name: value for name, value in configuration.items() if name not in named}
            found += [_option(name, value, values[name]) for name, value in rest.items() if value is not False]
        elif names_in(argument) <= {*values, *others}:
            found.append(filled(argument, {**values, **others}))
    return found


def _option(name: str, value: object, text: str) -> str:
    """Return a variable as an option; a name that starts with a dash is the option itself."""
    option = name if name.startswith("-") else f"--{name}"
    return option if value is True else f"{option}={text}"


def filled(argument: str, values: Mapping[str, str]) -> str:
    """Return the argument with every {name} replaced, and {{ and }} as single braces."""
    return PLACEHOLDER.sub(lambda match: match[0][0] if match[1] is None else values[match[1]], argument)


def names_in(argument: str) -> set[str]:
    """Return the names of the placeholders in an argument."""
    return {match[1] for match in PLACEHOLDER.finditer(argument) if match[1] is not None}
