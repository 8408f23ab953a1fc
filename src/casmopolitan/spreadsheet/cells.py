"""The cells of a spreadsheet: values written so that they can be read back, and read as spreadsheets write them."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from casmopolitan.errors import MisfitError, SpaceError
from casmopolitan.formatting import did_you_mean, short_repr, with_plain_truths
from casmopolitan.scalars import Key, is_number, key
from casmopolitan.space import Categorical, Integer, Ordinal, Space, Variable

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""Beginnings of cells that a spreadsheet may take for a formula; it skips blanks before them."""


TRUTHS = {
    **dict.fromkeys(("true", "wahr", "vrai", "verdadero", "vero", "verdadeiro", "waar"), True),
    **dict.fromkeys(("false", "falsch", "faux", "falso", "onwaar"), False),
}
"""What spreadsheets write for true and false, in English, German, French, Spanish, Italian, Portuguese and Dutch."""


def spellings(variable: Variable) -> dict[str, Any]:
    """Return each choice by its text; strings that are blank, quoted, or like another choice's text are quoted as in JSON."""
    if not isinstance(variable, Categorical | Ordinal):
        return {}
    choices = list(variable.choices if isinstance(variable, Categorical) else variable.values)
    plain = [choice if isinstance(choice, str) else json.dumps(choice) for choice in choices]
    repeated = {text for text, n in Counter(plain).items() if n > 1}

    def needs_quotes(text: str) -> bool:
        return text in repeated or not text.strip() or text.startswith('"')

    return {
        json.dumps(choice, ensure_ascii=False) if isinstance(choice, str) and needs_quotes(text) else text: choice
        for choice, text in zip(choices, plain, strict=True)
    }


def guarded(text: str) -> str:
    """Return the text, with a leading apostrophe if a spreadsheet would take it for a formula."""
    return f"'{text}" if _looks_like_formula(text) and number_or_none(text) is None else text


def unguarded(text: str) -> str:
    """Return text without the guard against formulas."""
    return text[1:] if text[:1] == "'" and _looks_like_formula(text[1:]) else text


def _looks_like_formula(text: str) -> bool:
    return text.startswith((*FORMULA, "'")) or text.lstrip().startswith(FORMULA)


def candidates(raw: str) -> tuple[str, ...]:
    """Return the texts that a cell may stand for, with and without the guard and surrounding blanks."""
    return unguarded(raw), raw, unguarded(raw.strip()), raw.strip()


def number_or_none(text: str) -> float | None:
    """Return the text as a number, or None if it is not one."""
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def number_in(text: str, comma: bool) -> float | None:
    """Return a number; MisfitError for 1,500, whose comma may separate thousands.

    With `comma`, commas are decimal, and 1.500 is a MisfitError.
    """
    if not comma and re.fullmatch(r"[+-]?[1-9]\d{0,2},\d{3}", text):
        raise MisfitError(f"got {text!r}: {text.replace(',', '.')} or {text.replace(',', '')}? Write it without the comma")
    if comma and re.fullmatch(r"[+-]?[1-9]\d{0,2}\.\d{3}", text):
        raise MisfitError(f"got {text!r}: {text.replace('.', ',')} or {text.replace('.', '')}? Write one of the two")
    return number_or_none(text.replace(",", ".") if text.count(",") == 1 and "." not in text else text)


def shows(raw: str, value: Any, comma: bool) -> bool:
    """Return whether a cell shows a value that its variable no longer has."""
    text = raw.strip()
    if is_number(value):
        number = number_or_none(text.replace(",", ".") if comma else text)
        return number is not None and math.isclose(number, value, rel_tol=5e-6)
    return value in candidates(raw) or text.casefold() == json.dumps(value, ensure_ascii=False).casefold()


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of one variable; the texts of its choices are made once per column."""

    variable: Variable

    @cached_property
    def known(self) -> dict[str, Any]:
        """Every choice of a variable by its text; empty for a variable with a range."""
        return spellings(self.variable)

    @cached_property
    def _texts(self) -> dict[Key, str]:
        return {key(choice): text for text, choice in self.known.items()}

    @cached_property
    def _folded(self) -> dict[str, Any]:
        return {text.casefold(): choice for text, choice in self.known.items() if not isinstance(choice, str)}

    @cached_property
    def _numbers(self) -> dict[float, Any]:
        """The numbers among the choices, the first of equal ones."""
        return {choice: choice for choice in reversed(list(self.known.values())) if is_number(choice)}

    def is_value(self, raw: str, comma: bool) -> bool:
        """Return whether a cell would be a value of such a variable with other choices or another range."""
        if self.known:
            return True
        try:
            return number_in(raw.strip(), comma) is not None
        except MisfitError:
            return False

    def spelling(self, value: Any) -> str:
        """Return the text of a value."""
        return self._texts.get(key(value)) or (value if isinstance(value, str) else repr(value))

    def cell(self, value: Any) -> str | float | bool:
        """Return a value for a cell that has a type: a number or a truth value if no other choice could be meant."""
        text = self.spelling(value)
        if isinstance(value, bool):
            return value if text == json.dumps(value) else guarded(text)
        if is_number(value) and (not self.known or self._is_alone(value)):
            return value
        return guarded(text) if self.known else text

    def _is_alone(self, number: float) -> bool:
        """Return whether no other choice looks like a number: neither 1.0 like 1 nor '0,5' like 0.5."""
        found, text = self._numbers[number], repr(number)
        return key(found) == key(number) and ("." not in text or text.replace(".", ",") not in self.known)

    def read(self, raw: str, comma: bool) -> Any:
        """Return the value of a cell; MisfitError if the variable has no such value."""
        text = raw.strip()
        for candidate in candidates(raw):
            if candidate in self.known:
                return self.known[candidate]
        if self.known:
            folded = json.dumps(TRUTHS[text.casefold()]) if text.casefold() in TRUTHS else text.casefold()
            if folded in self._folded:  # spreadsheets write TRUE or WAHR for true
                return self._folded[folded]
            number = number_in(text, comma) if self._numbers else None
            if number in self._numbers:
                return self._numbers[number]
            try:
                return self.variable.read(unguarded(text))
            except MisfitError as misfit:
                raise MisfitError(with_plain_truths(str(misfit))) from None
        if isinstance(self.variable, Integer) and re.fullmatch(r"[+-]?\d{1,300}", text):
            return self.variable.read(int(text))  # a float would round a long number
        number = number_in(text, comma)
        if number is None:
            raise MisfitError(f"got {short_repr(text)}; it takes a number")
        whole = number.is_integer() and isinstance(self.variable, Integer)
        return self.variable.read(int(number) if whole else number)


def assignments(space: Space, texts: Iterable[str]) -> dict[str, Any]:
    """Return the values in texts such as "solvent=water", by variable; one SpaceError lists all problems."""
    values: dict[str, Any] = {}
    problems = []
    for text in texts:
        name, equals, raw = text.partition("=")
        if not equals:
            problems.append(f"got {text!r}; write NAME=VALUE")
        elif name not in space:
            problems.append(f"{name!r} is not a variable of the space.{did_you_mean(name, space)}")
        elif name in values:
            problems.append(f"{name!r} is given twice; give each variable once")
        else:
            try:
                values[name] = Cells(space[name]).read(raw, comma=False)
            except MisfitError as misfit:
                problems.append(f"{type(space[name]).__name__} {name!r} {misfit}")
    if problems:
        raise SpaceError(problems)
    return values
