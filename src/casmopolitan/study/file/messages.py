"""Messages about a study file, in the words of TOML: syntax errors, wrong types, renamed and misplaced keys."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from casmopolitan.formatting import did_you_mean, did_you_mean_number, short_repr, with_plain_truths

CONFIDENTIAL = ("storage", "objective.environment", "objective.command")
"""Fields that may contain passwords: messages name the type of a wrong value, not the value."""
WANTED = {
    "float_type": "give a number",
    "int_type": "give a whole number",
    "int_from_float": "give a whole number",
    "bool_type": "give true or false",
    "string_type": "give a text in quotes",
    "list_type": "give a list in square brackets",
    "dict_type": "give a table",
    "model_type": "give a table",
    "model_attributes_type": "give a table",
}
"""What each kind of pydantic's errors about types asks for."""
NAMES = {
    "choices": ("values", "options", "levels", "categories"),
    "values": ("choices", "options", "levels", "categories"),
    "low": ("min", "minimum", "lower", "from", "start"),
    "high": ("max", "maximum", "upper", "to", "end"),
}
"""Other names that users give to the fields of variables."""
PYTHON = {
    "a number, True, False or None": "a number, true or false",
    "Use None or ": "Use ",
    "give a dict of": "give a table of",
}
"""Phrases about Python, and the same about TOML, which has no None."""


def in_toml(text: str) -> str:
    """Return a message about Python values as one about TOML: tables, true and false. Text in quotes stays as it is."""
    for python, toml in PYTHON.items():
        text = text.replace(python, toml)
    text = re.sub(r"Forbid\((\{.*?\})\)", r"\1", text)
    if "{'" in text:
        text = re.sub(r"(?<=[{ ])'([A-Za-z0-9_-]+)': ", r"\1 = ", text)
    return with_plain_truths(text)


def syntax_problem(text: str, error: Exception) -> str:
    """Return why a text is not TOML, with the line of the error and how to write it."""
    place = re.search(r"line (\d+)", str(error))
    lines = text.splitlines()
    number = int(place[1]) if place else len(lines)
    line = lines[number - 1].strip() if 0 < number <= len(lines) and not _may_hold_a_secret(lines[:number]) else ""
    return f"is not TOML: {error}{f'; the line is: {line[:80]}' if line else ''}{_advice(text, line, str(error))}"


def _may_hold_a_secret(lines: Sequence[str]) -> bool:
    """Return whether the last line stands where a password may be: in the objective, or beside a key that names one."""
    heading = next((line.strip() for line in reversed(lines) if line.lstrip().startswith("[")), "")
    confidential = re.search(r"storage|objective|environment|command|pass|secret|token|key|://|@", lines[-1], re.IGNORECASE)
    return confidential is not None or heading.lstrip("[ ").startswith("objective")


def _advice(text: str, line: str, said: str) -> str:
    """Return how to write what is probably meant; an empty string if that is not clear."""
    comma = re.search(r"=\s*([+-]?\d+),(\d+)\b", line)
    first = next((one for one in text.splitlines() if one.strip() and not one.lstrip().startswith("#")), "")
    word = re.match(r"([\w.-]+)\s*=\s*([A-Za-z][\w-]*)\s*$", line)
    if comma:
        return f". Numbers have a decimal point: {comma[1]}.{comma[2]}"
    if re.match(r"[\w-]+:(\s|$)", first):
        return f". This looks like YAML; in TOML it is {first.partition(':')[0]} = ..., with text in quotes"
    if first.lstrip().startswith("{"):
        return ". This looks like JSON; `casmopolitan init` writes an example in TOML"
    if word and word[2] in ("True", "False"):
        return f". Write {word[1]} = {word[2].lower()}"
    if word:
        return f". Put text in quotes: {word[1]} = '{word[2]}'"
    return ". Each key and each table is given once" if "overwrite" in said or "twice" in said else ""


def field_problem(path: str, detail: Any, description: str | None = None) -> str:
    """Return one of pydantic's errors with its path in the file, and what the field holds."""
    steps = [str(step) for step in detail["loc"]]
    top = path
    path = ".".join([path, *(step for step in steps if step not in ("str", "list[KnownSpec]") and "function-" not in step)])
    kind, got = detail["type"], detail["input"]
    if kind == "missing":
        return f"{path}: is missing"
    if kind == "extra_forbidden":
        return f"{path}: unknown; remove it"
    if kind == "list_type" and isinstance(got, Mapping):
        return f"{path}: is a single table; write [[{path}]] with double brackets, once for each entry"
    if kind in ("dict_type", "model_type", "model_attributes_type") and _is_list_of_tables(got):
        return f"{path}: is a list of tables; {_without_list(path, got)}"
    hint = did_you_mean_number(got, whole=kind == "int_type") if kind in ("float_type", "int_type") else ""
    message = detail["msg"].removeprefix("Value error, ")
    if kind == "literal_error":
        choices = re.findall(r"'([^']*)'", detail["ctx"]["expected"])
        near = [choice for choice in choices if isinstance(got, str) and choice.startswith(got.casefold()[:3])]
        hint = did_you_mean(got, choices) or (f" Did you mean {near[0]!r}?" if got and len(near) == 1 else "")
        message = f"it must be {detail['ctx']['expected']}"
    about = re.split(r"[;:] ", description)[0] if description and path == top else ""
    wanted = f"{WANTED[kind]}{f' ({about})' if about else ''}" if kind in WANTED else f"{message[:1].lower()}{message[1:]}"
    shown = f"a value of type {type(got).__name__}" if path.startswith(CONFIDENTIAL) else short_repr(got)
    return f"{path}: got {shown}; {wanted}{'.' if hint else ''}{hint}"


def _is_list_of_tables(got: object) -> bool:
    return isinstance(got, list) and bool(got) and all(isinstance(entry, Mapping) for entry in got)


def _without_list(path: str, got: list[Mapping[str, Any]]) -> str:
    if path != "variables":
        return f"write [{path}] with single brackets, once"
    names = [entry["name"] for entry in got if isinstance(entry.get("name"), str)]
    shown = " and ".join(f"[variables.{name}]" for name in names[:2]) or "[variables.a]"
    return f"the name of a variable is part of its heading: {shown}"


def variable_problem(name: str, text: str, entry: Mapping[str, Any], of_file: Collection[str]) -> str | None:
    """Return a problem of one variable's entry as the file should be changed; None if another problem covers it."""
    unknown = re.search(r"unknown field '(.*?)'", text)
    if unknown and unknown[1] in of_file:
        return f"variables.{name}.{unknown[1]}: stands below [variables.{name}]; move it above the first [table] of the file"
    if unknown and any(unknown[1] in others and field not in entry for field, others in NAMES.items()):
        return None
    missing = re.search(r"has no '(.*?)'; (\w+) needs it", text)
    other = next((one for one in NAMES.get(missing[1], ()) if one in entry), None) if missing else None
    if missing and other:
        return f"variables: variable {name!r} has {other!r}, which is called {missing[1]!r} for type {missing[2]!r}; rename it"
    return f"variables: {text}"
