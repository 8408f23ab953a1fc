"""One value in one cell of a table: spelt so that it names its value alone, and read as spreadsheets and people write it."""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from casmopolitan.errors import MisfitError
from casmopolitan.formatting import short_repr
from casmopolitan.scalars import Key, is_number, key
from casmopolitan.space import Categorical, Integer, Ordinal, Variable

FORMULA = ("=", "+", "-", "@", "\t", "\r")


def spellings(variable: Variable) -> dict[str, Any]:
    """How each word of a listed variable is written in a cell: in quotes where it would be another's, or lost, without them."""
    if not isinstance(variable, Categorical | Ordinal):
        return {}
    words = list(variable.choices if isinstance(variable, Categorical) else variable.values)
    plain = [word if isinstance(word, str) else json.dumps(word) for word in words]
    twice = {text for text, n in Counter(plain).items() if n > 1}

    def quoted(text: str) -> bool:
        return text in twice or not text.strip() or text.startswith('"') or "\r" in text

    return {
        json.dumps(word, ensure_ascii=False) if isinstance(word, str) and quoted(text) else text: word
        for word, text in zip(words, plain, strict=True)
    }


def guarded(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    if text.startswith((*FORMULA, "'")) and not _is_number(text):
        return f"'{text}"
    return text


def bare(text: str) -> str:
    """A cell without the mark that keeps spreadsheets from taking it for a formula."""
    return text[1:] if text[:1] == "'" and text[1:].startswith((*FORMULA, "'")) else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of one variable; its spellings are made once a column, however many cells there are."""

    variable: Variable

    @cached_property
    def known(self) -> dict[str, Any]:
        """Every word of a listed variable by its spelling."""
        return spellings(self.variable)

    @cached_property
    def _spelt(self) -> dict[Key, str]:
        return {key(word): text for text, word in self.known.items()}

    @cached_property
    def _folded(self) -> dict[str, Any]:
        return {text.casefold(): word for text, word in self.known.items() if not isinstance(word, str)}

    @cached_property
    def _numbers(self) -> dict[float, Any]:
        """The numbers among the words, the first of equals."""
        return {word: word for word in reversed(list(self.known.values())) if is_number(word)}

    def spelling(self, value: Any) -> str:
        """A value in words that name it alone."""
        return self._spelt.get(key(value)) or repr(value)

    def written(self, value: Any) -> str:
        """A value as it is written in a cell."""
        return guarded(self.spelling(value)) if self.known else self.spelling(value)

    def read(self, raw: str, comma: bool) -> Any:
        """The value behind a cell; MisfitError where there is none. `comma`: whether a comma is a decimal one."""
        text = raw.strip()
        for candidate in (bare(raw), raw, bare(text), text):
            if candidate in self.known:
                return self.known[candidate]
        if self.known:
            if text.casefold() in self._folded:  # spreadsheets write TRUE for true
                return self._folded[text.casefold()]
            number = number_in(text, comma) if self._numbers else None
            return self._numbers[number] if number in self._numbers else self.variable.read(bare(text))
        if isinstance(self.variable, Integer) and re.fullmatch(r"[+-]?\d{1,300}", text):
            return self.variable.read(int(text))  # a float would round what is long
        number = number_in(text, comma)
        if number is None:
            raise MisfitError(f"got {short_repr(text)}; it takes a number")
        whole = number.is_integer() and isinstance(self.variable, Integer)
        return self.variable.read(int(number) if whole else number)


def number_in(text: str, comma: bool) -> float | None:
    """A number, with a decimal point or a decimal comma; 1,500 is neither one nor 1500 unless a `comma` is a decimal one."""
    if "_" in text:
        return None
    if not comma and re.fullmatch(r"[+-]?[1-9]\d{0,2},\d{3}", text):
        raise MisfitError(f"got {text!r}: {text.replace(',', '.')} or {text.replace(',', '')}? Write it without the comma")
    try:
        return float(text.replace(",", ".") if text.count(",") == 1 and "." not in text else text)
    except ValueError:
        return None


def names_value(text: str, value: Any, comma: bool) -> bool:
    """Return whether a cell shows a value that its variable no longer has."""
    text = text.strip()
    if not is_number(value):
        return bare(text) == value or text.casefold() == json.dumps(value, ensure_ascii=False).casefold()
    with contextlib.suppress(MisfitError):
        number = number_in(text, comma)
        return number is not None and math.isclose(number, value, rel_tol=5e-6)
    return False
