"""The results in the output of a program: a value, or outcomes by name."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from casmopolitan.errors import DataError
from casmopolitan.formatting import did_you_mean
from casmopolitan.goals import Goals, Outcome

KEPT = 64 * 1024
"""Bytes kept of each stream, from its end."""
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
"""The terminal codes for colours and cursor movements."""
UNKNOWN = ("unknown", "none", "null")
"""What a program prints for an outcome that it has not measured."""
PAIR = re.compile(r"\s*([^:=]+?)\s*[:=]\s*(\S.*?)\s*")
"""A line with the name of an outcome and its value."""


class NoValueError(ValueError):
    """The program ended with exit code 0 but without a valid result; the message says why."""


def printable(text: str) -> str:
    """Return text that is safe for terminals and databases: no control characters except line breaks and tabs."""
    plain = ESCAPE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return "".join(c if c in "\n\t" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in plain)


def last_line(out: bytes) -> str:
    """Return the last non-blank line of a stream, without colours; the bytes before it need not be text."""
    plain = re.sub(ESCAPE.pattern.encode(), b"", out)
    cut, lines = len(out) >= KEPT, re.split(rb"[\r\n]+", plain)
    written = [k for k, line in enumerate(lines) if line.strip()]
    if not written:
        problem = f"the last {KEPT // 1024} KB of its output are blank" if cut else "it printed nothing"
        raise NoValueError(f"{problem}; print the value as the last line of standard output")
    if cut and written[-1] == 0:
        raise NoValueError(f"its last line is longer than {KEPT // 1024} KB; print the value on a line of its own")
    try:
        return lines[written[-1]].decode("utf-8").strip()
    except UnicodeDecodeError:
        raise NoValueError("its last line is not text; print the value there, in UTF-8") from None


def output_text(out: bytes) -> str:
    """Return a stream as text, one line per line of output."""
    return printable(out.decode("utf-8", "replace"))


def value_in(text: str, key: str) -> float:
    """Return the finite number in a text: the number itself, or the entry `key` of a JSON object."""
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        found = text
    if isinstance(found, dict):
        if key not in found:
            names = ", ".join(map(repr, list(found)[:8]))
            raise NoValueError(f"its JSON has no {key!r}, only {names or 'nothing'}; write {key!r}, or set objective.key")
        if found[key] is None:
            raise NoValueError(f"its value is {found.get('said', None)!s:.40}")
        found = found[key]
    if isinstance(found, bool | list | dict) or found is None or "_" in str(found):
        raise NoValueError(f"its value is {json.dumps(found)[:80]}, which is not a number")
    try:
        number = float(str(found)) if isinstance(found, str | int | float) else math.nan
    except ValueError:
        raise NoValueError(f"its result is {printable(str(found))[:80]!r}, which is not a number") from None
    if not math.isfinite(number):
        raise NoValueError(f"its value is {number!r}")
    return number


def returned_value(text: str, goals: Goals) -> Outcome:
    """Return what a Python function returned: a number, or outcomes by name."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise NoValueError("its result file is damaged")
    if "outcomes" in found:
        if not goals.named:
            raise NoValueError("it returned a dict, but the study has one objective without a name; name it in [objectives]")
        return _checked(found["outcomes"], goals)
    if goals.outcomes.plain:
        return value_in(text, "value")
    if found.get("value") is None:  # FAILED, nan or an infinity
        raise NoValueError(f"its value is {found.get('said', None)!s:.40}")
    return _checked(found["value"], goals)


def outcomes_in(text: str, output: str, goals: Goals) -> Outcome:
    """Return the outcomes that a program has printed: as a JSON object in `text`, or as lines `name: value` in `output`.

    Of several lines with the same name the last counts, and lines without the name of an outcome are ignored. One objective
    without limits may also be a number.
    """
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict):
        return _checked(found, goals)
    lines = [match for line in output.splitlines() if (match := PAIR.fullmatch(line))]
    told: dict[str, Any] = {match[1]: _number(match[2]) for match in lines if match[1] in goals.names}
    if goals.outcomes.plain and not told:
        return value_in(text, goals.order[0])
    missing = [name for name in goals.order if name not in told]
    if missing:
        hint = "".join(did_you_mean(match[1], missing) for match in lines[-1:])
        listed = ", ".join(map(repr, missing))
        raise NoValueError(f"it printed no line for {listed}; print 'name: value' for every outcome, or all as JSON.{hint}")
    return _checked(told, goals)


def _number(text: str) -> Any:
    """Return the number in a text, None if it stands for an unknown one, otherwise the text."""
    if text.casefold() in UNKNOWN:
        return None
    try:
        return text if "_" in text else float(text)
    except ValueError:
        return text


def _checked(told: object, goals: Goals) -> Outcome:
    """Return outcomes that are valid; NoValueError names every problem."""
    try:
        found = goals.read(told)
    except DataError as error:
        raise NoValueError("; ".join(line.strip() for line in str(error).splitlines())) from None
    if found is None:
        raise NoValueError("none of its outcomes is known")
    return found
