"""Variables that list their values: `Categorical` without an order, `Ordinal` with one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any

from casmopolitan.core.points import Array
from casmopolitan.errors import MisfitError
from casmopolitan.formatting import MANY, did_you_mean, join_values, short_repr
from casmopolitan.scalars import Key, Scalar, is_finite, is_number, key, native, native_tuple
from casmopolitan.space.decimal_grid import log_problems
from casmopolitan.space.descriptors import apart, read_description
from casmopolitan.space.when import Condition, read_when, when_problems, when_text


def _listing_problems(values: object, word: str) -> list[str]:
    """Return the problems with a list of choices or values: its type, no values, wrong values, duplicates."""
    if not isinstance(values, tuple):
        example = f"e.g. [{short_repr(values)}]" if isinstance(values, str) else "which has a fixed order"
        return [f"got {short_repr(values)} (a {type(values).__name__}) as its {word}s; give a list, {example}"]
    if not values:
        return [f"has no {word}s; give at least one"]
    problems = []
    scalars = []
    for value in values:
        if not isinstance(value, Scalar):
            problems.append(
                f"has the {word} {short_repr(value)}, a {type(value).__name__}; a {word} is a string, a number, True, False "
                "or None. Give it a name, and look the object up by that name in your objective"
            )
        elif isinstance(value, float) and not math.isfinite(value):
            problems.append(f"has the {word} {value!r}; a {word} must be finite. Use None or the string '{value!r}'")
        else:
            scalars.append(value)
    repeated = [(k[1], n) for k, n in Counter(map(key, scalars)).items() if n > 1]
    problems += [f"has the {word} {short_repr(v)} {n} times; list each {word} once" for v, n in repeated]
    return problems


class _Listed:
    """The common part of `Categorical` and `Ordinal`: a tuple of values, found by type and value."""

    _plural = "values"
    when: Condition | None

    @property
    def _items(self) -> tuple[Scalar, ...]:
        raise NotImplementedError

    @property
    def count(self) -> int:
        """The number of values."""
        return len(self._items)

    @cached_property
    def _index(self) -> dict[Key, int]:
        return {key(item): i for i, item in enumerate(self._items)}

    def index(self, value: object) -> int:
        """Return the index of a value.

        Args:
            value: A value of this variable.

        Returns:
            Its index, from 0.

        Raises:
            MisfitError: If the variable does not take the value.
        """
        try:
            return self._index[key(native(value))]
        except (KeyError, TypeError):
            rule = f"its {self._plural} are {join_values(self._items)}"
            raise MisfitError(f"got {short_repr(value)}; {rule}.{did_you_mean(value, self._items)}") from None

    def indices(self, values: Sequence[object]) -> list[int]:
        """Return the indices of many values.

        Args:
            values: Values of this variable.

        Returns:
            Their indices, from 0.

        Raises:
            MisfitError: If the variable does not take one of the values.
        """
        find = self._index.__getitem__
        try:
            return [find((type(value), value)) for value in values]  # type: ignore[arg-type]
        except (KeyError, TypeError):
            return [self.index(value) for value in values]

    def at(self, index: int) -> Scalar:
        """Return the value with an index.

        Args:
            index: The index, from 0.

        Returns:
            The value.
        """
        return self._items[index]

    def read(self, value: object) -> Scalar:
        """Return a value as a plain Python value.

        Args:
            value: A value of this variable, which may be a NumPy scalar.

        Returns:
            The value itself, with a native type.

        Raises:
            MisfitError: If the variable does not take the value.
        """
        return self._items[self.index(value)]

    def _identity(self) -> tuple[object, ...]:
        return type(self), getattr(self, "log", False), tuple(map(key, self._items)), self.when

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Listed) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        log = ", log=True" if getattr(self, "log", False) else ""
        return f"{type(self).__name__}([{join_values(self._items, many=2 * MANY)}]{log}{when_text(self.when)})"


@dataclass(frozen=True, eq=False, repr=False)
class Categorical(_Listed):
    """A variable with several choices in no order.

    Args:
        choices: Strings, numbers, True, False or None. They are distinguished by type and value: 1, 1.0 and True differ.
        descriptors: Numbers that describe each choice, so that similar choices inform each other: a dict from choice to a list
            or a dict of numbers, a data frame with the choices as its index, or rows in the order of the choices. Columns
            that are constant or repeat an earlier one (correlation above 0.7) are dropped.
        distances: Distances between the choices instead, in the same forms. They must be symmetric, zero on the diagonal, and
            such that a kernel can be made of them (of negative type): Euclidean distances and their square roots are.
        when: The values of other variables that it needs to exist, e.g. `{"model": "svm"}`. By default it always exists.
    """

    choices: Sequence[Scalar]
    descriptors: Any = None
    distances: Any = None
    _: KW_ONLY
    when: Condition | None = None
    _unclear: list[str] = field(init=False, default_factory=list)
    _plural = "choices"

    def __post_init__(self) -> None:
        object.__setattr__(self, "choices", native_tuple(self.choices))
        object.__setattr__(self, "when", read_when(self.when))
        described = self.descriptors is not None or self.distances is not None
        if not described or _listing_problems(self.choices, "choice"):
            return
        descriptors, distances, unclear = read_description(self._items, self.descriptors, self.distances)
        for name, value in (("descriptors", descriptors), ("distances", distances), ("_unclear", unclear)):
            object.__setattr__(self, name, value)

    @cached_property
    def apart(self) -> Array | None:
        """Distances of mean 1 between the choices by their description; None if they are not described."""
        return apart(self.descriptors, self.distances) if self.count > 1 else None

    @property
    def _items(self) -> tuple[Scalar, ...]:
        return tuple(self.choices)

    def problems(self) -> list[str]:
        """Return everything wrong with the declaration.

        Returns:
            One text per problem; empty if there is none.
        """
        found = _listing_problems(self.choices, "choice") or self._unclear
        return [*found, *when_problems(self.when)]

    def _identity(self) -> tuple[object, ...]:
        return *super()._identity(), self.descriptors, self.distances

    def __repr__(self) -> str:
        described = "".join(f", {word}=..." for word in ("descriptors", "distances") if getattr(self, word) is not None)
        return f"{super().__repr__()[:-1]}{described})"


@dataclass(frozen=True, eq=False, repr=False)
class Ordinal(_Listed):
    """A variable with several values in an order (App. B.2).

    Args:
        values: Increasing numbers, whose distances are their differences, or labels, whose distances are those of their ranks.
        log: Whether the distances of numbers are those of their logarithms.
        when: The values of other variables that it needs to exist, e.g. `{"model": "svm"}`. By default it always exists.
    """

    values: Sequence[Scalar]
    log: bool = False
    _: KW_ONLY
    when: Condition | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", native_tuple(self.values))
        object.__setattr__(self, "when", read_when(self.when))

    @property
    def _items(self) -> tuple[Scalar, ...]:
        return tuple(self.values)

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers rather than labels."""
        return all(is_number(value) for value in self.values)

    @property
    def numbers(self) -> list[float]:
        """The values that are numbers."""
        return [value for value in self.values if isinstance(value, int | float) and not isinstance(value, bool)]

    def problems(self) -> list[str]:
        """Return everything wrong with the declaration.

        Returns:
            One text per problem; empty if there is none.
        """
        problems = _listing_problems(self.values, "value") + when_problems(self.when)
        if problems:
            return problems
        problems = log_problems(self.log)
        if self.numeric:
            return problems + _order_problems(self.numbers, self.log)
        return [*problems, "has labels on a log scale, which only numbers have. Drop log"] if self.log else problems


def _order_problems(numbers: list[float], log: bool) -> list[str]:
    """Return the problems with an ordinal's numbers: their order, their range, their sign on a log scale."""
    problems = []
    ordered = sorted(set(numbers))
    if numbers != ordered:
        problems.append(
            f"has the numbers {join_values(numbers)}; numbers must increase. Did you mean {join_values(ordered)}? "
            "For an order of your own, give labels such as strings"
        )
    low, high = ordered[0], ordered[-1]
    if not (is_finite(low) and is_finite(high) and math.isfinite(float(high) - float(low))):
        problems.append("has numbers too far apart for a float; use labels, or other units")
    if log and low <= 0:
        problems.append(f"has {low!r} on a log scale, which needs numbers above 0. Drop that value or log")
    return problems
