"""Conditions: a variable with `when` exists only if other variables, its parents, have certain values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from casmopolitan.formatting import join_values, short_repr
from casmopolitan.scalars import Scalar, key, native_tuple

Condition = Mapping[str, Scalar | Iterable[Scalar]]
"""A value, or a list of values, for each parent: `{"model": "svm"}` or `{"model": ["svm", "forest"]}`."""


class When(Mapping[str, tuple[Scalar, ...]]):
    """The condition of a variable: for each parent, the values of which it must have one."""

    def __init__(self, condition: Condition) -> None:
        self._values = {name: alternatives(values) for name, values in condition.items()}

    def __getitem__(self, name: str) -> tuple[Scalar, ...]:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def _identity(self) -> frozenset[object]:
        return frozenset((name, frozenset(map(key, values))) for name, values in self.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, When) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        texts = {name: short_repr(v[0]) if len(v) == 1 else f"[{join_values(v)}]" for name, v in self.items()}
        return f"{{{', '.join(f'{name!r}: {text}' for name, text in texts.items())}}}"

    def __str__(self) -> str:
        """Return the condition as part of a sentence: `'model' is 'svm' or 'forest'`."""
        return " and ".join(f"{name!r} is {' or '.join(map(short_repr, values))}" for name, values in self.items())

    def to_dict(self) -> dict[str, list[Scalar]]:
        """Return the condition as JSON."""
        return {name: list(values) for name, values in self.items()}


def read_when(when: object) -> object:
    """Return a condition as `When`; anything else stays as it is, and `when_problems` reports it."""
    return When(when) if isinstance(when, Mapping) and not isinstance(when, When) else when


def when_problems(when: object) -> list[str]:
    """Return the problems of a condition that can be found without its space."""
    if when is None:
        return []
    example = "give a dict of names and values, e.g. when={'model': 'svm'}"
    if not isinstance(when, When):
        return [f"has when={short_repr(when)}; {example}"]
    if not when:
        return [f"has an empty condition; {example}, or drop it"]
    problems = [f"has when={when!r}, in which {name!r} is not a name; {example}" for name in when if not isinstance(name, str)]
    for name, values in when.items():
        if not values:
            problems.append(f"has when={when!r}, which lists no value of {name!r}; list at least one")
        wrong = [value for value in values if not isinstance(value, Scalar)]
        problems += [f"has when={when!r}, in which {short_repr(v)} is a {type(v).__name__}; {example}" for v in wrong]
    return problems


def when_text(when: object) -> str:
    """Return the condition as it appears in the `repr` of a variable."""
    return "" if when is None else f", when={when!r}"


def alternatives(values: object) -> tuple[Scalar, ...]:
    """Return a single value or a list of values as a tuple of native values."""
    many = isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping)
    read: tuple[Scalar, ...] = native_tuple(list(values) if many else [values])  # type: ignore[assignment, call-overload]
    return read
