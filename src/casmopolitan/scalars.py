"""Plain Python values: the types that a variable may take, their identity, and tests for numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import TypeGuard

import numpy as np

Scalar = str | int | float | bool | None
"""The values that JSON can hold without nesting."""

Key = tuple[type, Scalar]
"""The identity of a scalar: 1, True, 1.0, "1" and None are five different values."""


def native(value: object) -> Scalar:
    """Return the plain Python scalar of a value, such as a NumPy scalar or an enumeration; TypeError if it is not a scalar."""
    if value is None or isinstance(value, bool | np.bool_):
        return None if value is None else bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value)
    if isinstance(value, str):
        return str.__str__(value)
    raise TypeError(f"{value!r} is a {type(value).__name__}")


def native_tuple(values: object) -> object:
    """Return the values as a tuple of native scalars; other values stay as they are."""
    if isinstance(values, str | bytes | AbstractSet | Mapping) or not isinstance(values, Iterable):
        return values
    return tuple(_native_or_same(value) for value in values)


def _native_or_same(value: object) -> object:
    try:
        return native(value)
    except TypeError:
        return value


def key(value: Scalar) -> Key:
    """Return the identity of a native scalar: its type and its value."""
    return type(value), value


def is_number(value: object) -> TypeGuard[float]:
    """Return whether the value is an int or a float; True and False are not numbers."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether the value is an integer by type; True and False are not."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_finite(value: object) -> TypeGuard[float]:
    """Return whether the value is a number that a float can hold: neither NaN nor infinite nor too large."""
    try:
        return is_number(value) and math.isfinite(float(value))
    except OverflowError:
        return False
