"""Linear rules between numbers, written as text: "a + 2 * b <= 1"."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Set
from dataclasses import dataclass
from functools import cached_property

from casmopolitan.formatting import did_you_mean
from casmopolitan.scalars import Scalar, is_number
from casmopolitan.space.interval import is_numeric
from casmopolitan.space.variables import Variable

TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d]\w*)|`(?P<quoted>[^`]+)`|(?P<sign>[-+*/]))"
)
COMPARISON = re.compile(r"<=|>=|==|!=|[<>=≤≥]")
HOW = "write sums of numbers times variables, with <= or >= between them, e.g. 'a + 2 * b <= 1'"
TOLERANCE = 1e-9
"""How far a sum may exceed its bound, relative to the sizes of its terms: 0.1 + 0.2 + 0.7 is more than 1 in floats."""


class RuleError(ValueError):
    """The text of a rule cannot be read; the message continues a sentence that starts with the rule."""


@dataclass(frozen=True, repr=False)
class Linear:
    """A rule such as "a + 2 * b <= 1" or "a <= 3 * b", which every configuration must satisfy.

    Args:
        text: Two sums with `<=` or `>=` between them. A name that is not a Python identifier is put in backquotes.
    """

    text: str

    @cached_property
    def parsed(self) -> tuple[dict[str, float], float]:
        """The coefficients by name and the bound of Σ coefficient · value <= bound; RuleError if the text cannot be read."""
        found = COMPARISON.findall(self.text)
        if len(found) != 1 or found[0] not in ("<=", ">="):
            problem = f"compares with {found[0]!r}" if len(found) == 1 else f"has {len(found)} comparisons instead of one"
            raise RuleError(f"{problem}; {HOW}")
        left, right = (_sum(side) for side in self.text.split(found[0]))
        sign = 1.0 if found[0] == "<=" else -1.0
        names = dict.fromkeys([*left, *right])
        moved = {name: sign * (left.get(name, 0.0) - right.get(name, 0.0)) for name in names}
        bound = -moved.pop("", 0.0)
        kept = {name: coefficient for name, coefficient in moved.items() if coefficient}
        if not kept:
            raise RuleError(f"names no variable; {HOW}")
        return kept, bound

    def problems(self, variables: Mapping[str, Variable], unsound: Set[str] = frozenset()) -> list[str]:
        """Return everything wrong with the rule in a space.

        Args:
            variables: The valid variables of the space, by name.
            unsound: Names of invalid variables, which are reported elsewhere.

        Returns:
            One text per problem; empty if there is none.
        """
        try:
            names, _ = self.parsed
        except RuleError as error:
            return [f"{self!r} {error}"]
        found = [
            f"{self!r} names {name!r}, which is not a variable of the space.{did_you_mean(name, variables)}"
            for name in names
            if name not in variables and name not in unsound
        ]
        return found + [
            f"{self!r} adds {name!r}, whose choices are not all numbers; use a Forbid for it"
            for name in names
            if name in variables and not is_numeric(variables[name])
        ]

    def holds(self, configuration: Mapping[str, Scalar]) -> bool:
        """Return whether a configuration satisfies the rule; a variable that it does not have counts as 0."""
        coefficients, bound = self.parsed
        terms = [coefficient * _value(configuration.get(name)) for name, coefficient in coefficients.items()]
        return sum(terms) - bound <= TOLERANCE * (sum(map(abs, terms)) + abs(bound))

    def part(self, names: Container[str]) -> Linear | None:
        """Return the rule if only these variables exist: the others count as 0.

        Args:
            names: The names of the variables that exist.

        Returns:
            The rule; None if it names none of them.
        """
        coefficients, bound = self.parsed
        if all(name in names for name in coefficients):
            return self
        left = [f"{coefficient!r} * `{name}`" for name, coefficient in coefficients.items() if name in names]
        return Linear(f"{' + '.join(left)} <= {bound!r}") if left else None

    def __repr__(self) -> str:
        return f"the rule {self.text!r}"


def _value(value: Scalar) -> float:
    return float(value) if is_number(value) else 0.0


def _sum(text: str) -> dict[str, float]:
    """Return the coefficients of one side; the constant has the name ""."""
    found: dict[str, float] = {}
    for sign, term in _terms(text):
        name, factor = "", 1.0
        for operator, (kind, value) in term:
            if kind == "name" and (name or operator == "/"):
                raise RuleError(f"is not linear in {value!r}; {HOW}")
            if kind == "name":
                name = value
            elif operator == "/" and float(value) == 0.0:
                raise RuleError(f"divides by 0; {HOW}")
            else:
                factor *= float(value) if operator == "*" else 1.0 / float(value)
        found[name] = found.get(name, 0.0) + sign * factor
    return found


def _terms(text: str) -> list[tuple[float, list[tuple[str, tuple[str, str]]]]]:
    """Return the terms of a sum: the sign, and the factors, each with the operator before it."""
    terms: list[tuple[float, list[tuple[str, tuple[str, str]]]]] = []
    sign, operator, place = 1.0, "", 0
    while text[place:].strip():
        token = TOKEN.match(text, place)
        if token is None:
            raise RuleError(f"cannot be read at {text[place:].strip()!r}; {HOW}")
        place = token.end()
        mark = token["sign"]
        if mark in ("*", "/"):
            if operator or not terms:
                raise RuleError(f"has {mark!r} without a number or a variable before it; {HOW}")
            operator = mark
        elif mark is not None:
            if operator in ("*", "/"):
                raise RuleError(f"has {mark!r} after {operator!r}; {HOW}")
            sign, operator = (sign if operator == "+" else 1.0) * (-1.0 if mark == "-" else 1.0), "+"
        else:
            factor = ("number", token["number"]) if token["number"] else ("name", token["name"] or token["quoted"])
            if operator in ("*", "/"):
                terms[-1][1].append((operator, factor))
            elif operator == "+" or not terms:
                terms.append((sign, [("*", factor)]))
            else:
                raise RuleError(f"has no operator before {factor[1]!r}; {HOW}")
            sign, operator = 1.0, ""
    if operator or not terms:
        raise RuleError(f"ends without a number or a variable; {HOW}")
    return terms
