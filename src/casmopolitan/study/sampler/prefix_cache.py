"""Folds over lists that mostly grow at their end, remembered as whole results of whole prefixes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")
Item = TypeVar("Item")

RECENT = 64
"""How many of the latest prefixes keep their result: completions that arrive a little out of order are folded from there."""


class Prefixes(Generic[T]):
    """fold(step, items) that remembers the results of recent prefixes; it answers as if it remembered nothing."""

    def __init__(self, start: T) -> None:
        self._keys: list[Hashable] = []
        self._results: dict[int, T] = {0: start}

    def fold(self, keys: Sequence[Hashable], items: Sequence[Item], step: Callable[[T, Item], T]) -> T:
        """step over all items; keys[i] stands for items[i], equal keys for equal items."""
        shared = self._shared(keys)
        first = max(n for n in self._results if n <= shared)
        result = self._results[first]
        self._results = {n: kept for n, kept in self._results.items() if n <= first}
        for n in range(first, len(items)):
            result = step(result, items[n])
            self._results[n + 1] = result
        self._keys = list(keys)
        for n in sorted(self._results)[1:-RECENT]:
            del self._results[n]
        return result

    def _shared(self, keys: Sequence[Hashable]) -> int:
        """The length of the prefix that these keys share with the last ones."""
        known = len(self._keys)
        if list(keys[:known]) == self._keys:
            return known
        return next(n for n, (a, b) in enumerate(zip([*keys, None], [*self._keys, ...], strict=False)) if a != b)
