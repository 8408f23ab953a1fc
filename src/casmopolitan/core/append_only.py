"""A sequence that never changes but can be extended in constant time: the fold over a log of n events copies nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar, overload

T = TypeVar("T", covariant=True)


class AppendOnly(Sequence[T]):
    """The first n items of a list that it shares with the sequences made from it by `plus`.

    The list only ever grows at its end, so each of them keeps its items. Of two sequences made from the same one, the second
    gets a list of its own.
    """

    __slots__ = ("_items", "_n")

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._items = list(items)
        self._n = len(self._items)

    def plus(self, item: Any) -> AppendOnly[T]:
        """Return the sequence with one more item."""
        longer: AppendOnly[T] = AppendOnly()
        longer._items, longer._n = self._items, self._n + 1
        if len(self._items) == self._n:
            self._items.append(item)
        if self._items[self._n] is not item:  # another sequence was made from this one, perhaps in another thread
            longer._items = [*self._items[: self._n], item]
        return longer

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        """Return one item, or a list of them."""
        if isinstance(at, slice):
            return [self._items[i] for i in range(*at.indices(self._n))]
        return self._items[range(self._n)[at]]

    def __iter__(self) -> Iterator[T]:
        return iter(self._items[: self._n])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"AppendOnly({list(self)!r})"

    def __reduce__(self) -> tuple[type, tuple[list[T]]]:
        """Pickle and copy the own items only."""
        return AppendOnly, (list(self),)
