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

SECRET_WORDS = {"apikey", "auth", "credential", "credentials", "key", "pass", "pwd"}
SECRET_ENDS = ("passphrase", "passwd", "password", "secret", "token")
"""An option or a variable names a secret if the last word of its name is in SECRET_WORDS or ends with one of SECRET_ENDS."""
WORD = re.compile(r"[-_.]|(?<=[a-z])(?=[A-Z])")
LOGIN = re.compile(r"(://[^/\s:@]*:)[^/\s@{]+@")
"""A user's name and password in a URL."""
SHORTEST = 6
"""Length of the shortest secret that is also hidden in other arguments: shorter ones occur in ordinary words."""


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


def without_secrets(command: Sequence[str]) -> list[str]:
    """Return the arguments of a command with *** for secrets, as in --password=X, --token X, KEY=X and https://me:X@host.

    A secret that the command contains again is hidden there too. Arguments with placeholders are shown: they hold values of
    variables, not secrets.
    """
    shown, secrets, follows = [], [], False
    for argument in command:
        name, equals, value = argument.partition("=")
        named = _names_a_secret(name)
        if follows and "{" not in argument and not argument.startswith("--"):
            secrets.append(argument)
            shown.append("***")
        elif named and value and "{" not in value:
            secrets.append(value)
            shown.append(f"{name}=***")
        else:
            shown.append(LOGIN.sub(r"\1***@", argument))
        follows = named and not equals and argument.startswith("-")
    for secret in secrets:
        if len(secret) >= SHORTEST:
            shown = [argument.replace(secret, "***") for argument in shown]
    return shown


def _names_a_secret(name: str) -> bool:
    """Return whether an option or a variable has the name of a secret."""
    last = WORD.split(name)[-1].lower()
    return re.fullmatch(r"[\w.-]+", name) is not None and (last in SECRET_WORDS or last.endswith(SECRET_ENDS))
