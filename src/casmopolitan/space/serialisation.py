"""A space as JSON: the variables in order, clauses and linear rules, and the number of predicates, which JSON cannot hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from casmopolitan.errors import SpaceError
from casmopolitan.formatting import did_you_mean, short_repr
from casmopolitan.space.constraint import Constraint, Forbid, Predicate, gathered
from casmopolitan.space.linear import Linear
from casmopolitan.space.variables import Categorical, Integer, Ordinal, Real, Variable
from casmopolitan.space.when import When

DESCRIPTIONS = ("descriptors", "distances")
LEFT_OUT = (*DESCRIPTIONS, "digits")
"""Fields that are left out if they are None."""

KINDS: dict[str, tuple[type[Variable], tuple[str, ...], tuple[str, ...]]] = {
    "categorical": (Categorical, ("choices",), DESCRIPTIONS),
    "ordinal": (Ordinal, ("values",), ("log",)),
    "integer": (Integer, ("low", "high"), ("step", "log")),
    "real": (Real, ("low", "high"), ("step", "log", "digits")),
}
"""For each kind of variable in JSON: its class, its required fields, its optional fields; `when` is optional for all."""


def variable_to_dict(name: str, variable: Variable) -> dict[str, Any]:
    """Return one variable as JSON."""
    kind = type(variable).__name__.lower()
    _, needed, optional = KINDS[kind]
    values = {field: getattr(variable, field) for field in (*needed, *optional)}
    values = {field: value for field, value in values.items() if value is not None or field not in LEFT_OUT}
    record = {"name": name, "type": kind, **{f: _lists(v) for f, v in values.items()}}
    return record if not isinstance(variable.when, When) else record | {"when": variable.when.to_dict()}


def _lists(value: object) -> object:
    """Return tuples, and the tuples in them, as lists."""
    return [_lists(item) for item in value] if isinstance(value, tuple) else value


def variables_from(record: object) -> list[tuple[str, Variable]]:
    """Return the variables of a space's record; one SpaceError lists all problems."""
    entries = record.get("variables") if isinstance(record, Mapping) else None
    if not isinstance(entries, Sequence) or isinstance(entries, str):
        raise SpaceError("a space's record is a dict with a list of 'variables', as Space.to_dict writes it")
    problems = [text for i, entry in enumerate(entries) for text in _entry_problems(i, entry)]
    if problems:
        raise SpaceError(problems)
    return [(entry["name"], _variable(entry)) for entry in entries]


def rules_to_dict(clauses: Sequence[Forbid], linear: Sequence[Linear], predicates: int) -> dict[str, Any]:
    """Return the rules of a space as JSON; linear rules only if there are any."""
    rules = {"rules": [rule.text for rule in linear]} if linear else {}
    return {"forbid": [clause.to_dict() for clause in clauses], **rules, "predicates": predicates}


def rules_from(record: Mapping[str, Any], constraint: Constraint | None) -> list[Predicate | Forbid | Linear]:
    """Return the rules of a space's record, with the predicates that the caller passes again."""
    needed = record.get("predicates", 0)
    clauses, linear, predicates, problems = gathered(constraint)
    if len(predicates) != needed:
        problems.append(
            f"the space was written with {needed} predicate(s), which JSON cannot hold, but the call has {len(predicates)}; "
            "pass the same ones again, as constraint=..."
        )
    forbid, rules = record.get("forbid", []), record.get("rules", [])
    if not isinstance(forbid, list):
        problems.append(f"a record's 'forbid' is a list of clauses; got {short_repr(forbid)}")
    if not isinstance(rules, list) or not all(isinstance(rule, str) for rule in rules):
        problems.append(f"a record's 'rules' is a list of texts such as 'a + b <= 1'; got {short_repr(rules)}")
    if problems:
        raise SpaceError(problems)
    stored: list[Forbid | Linear] = [*map(Forbid, forbid), *map(Linear, rules)]
    given: list[Forbid | Linear] = [*clauses, *linear]
    return [*stored, *(rule for rule in given if rule not in stored), *predicates]


def _variable(entry: Mapping[str, Any]) -> Variable:
    kind, needed, optional = KINDS[entry["type"]]
    return kind(**{field: entry[field] for field in (*needed, *optional, "when") if field in entry})


def _entry_problems(position: int, entry: object) -> list[str]:
    """Return everything wrong with one variable's entry."""
    if not isinstance(entry, Mapping):
        return [f"variable {position} is {short_repr(entry)}; it is a dict with a name, a type and that type's fields"]
    who = f"variable {entry.get('name', position)!r}"
    problems = [] if "name" in entry else [f"{who} has no name; give one"]
    if not isinstance(entry.get("type"), str) or entry["type"] not in KINDS:
        got = entry.get("type")
        return [*problems, f"{who} has type {short_repr(got)}; a type is one of {', '.join(KINDS)}.{did_you_mean(got, KINDS)}"]
    _, needed, optional = KINDS[entry["type"]]
    allowed = ("name", "type", *needed, *optional, "when")
    problems += [f"{who} has no {field!r}; {entry['type']} needs it" for field in needed if field not in entry]
    unknown = [field for field in entry if field not in allowed]
    return problems + [f"{who} has the unknown field {f!r}; drop it.{did_you_mean(f, allowed)}" for f in unknown]
