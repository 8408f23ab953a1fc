"""The first line of a table: what the columns are called, and what people mean when they write it themselves."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence

from casmopolitan.formatting import column_name, did_you_mean
from casmopolitan.space import Space
from casmopolitan.study.trials.cells import bare
from casmopolitan.trial import EXPLANATION_COLUMNS

TRIAL, VALUE = "trial", "value"
EXPORTED = ("state", *(name for name in EXPLANATION_COLUMNS if name not in ("acquisition", "note")), "seconds", "error")
NOTES = (*EXPORTED, "known", "note", "predicted")
"""Columns that an export may have and that are not read back."""


def headings(space: Space) -> dict[str, str]:
    """The variable behind each heading: its name; in quotes where blanks would be lost, 'variable.<name>' where it is taken."""
    quoted = {name: name if _plain(name) else json.dumps(name, ensure_ascii=False) for name in space}
    return {column_name(head, (TRIAL, VALUE, *NOTES)): name for name, head in quoted.items()}


def _plain(name: str) -> bool:
    """Whether a name survives a spreadsheet as it is."""
    return name == name.strip() and name.isprintable() and not name.startswith('"')


def meant(cells: Sequence[str], heads: Mapping[str, str]) -> list[str]:
    """The headings that the cells of a first line mean; a cell that means none, or one of several, stands as it is."""
    known = {TRIAL: TRIAL, VALUE: VALUE, **{note: note for note in NOTES}, **heads}
    folded: dict[str, set[str]] = {}
    for head, name in known.items():
        for text in (head, name.strip()):
            folded.setdefault(text.casefold(), set()).add(head)

    def one(text: str) -> str:
        near = folded.get(text.casefold(), set())
        return text if text in known or len(near) != 1 else next(iter(near))

    return [one(bare(cell.strip())) for cell in cells]


def unknown(header: Collection[str], heads: Mapping[str, str]) -> list[str]:
    """The columns that mean nothing to us."""
    return [head for head in header if head and head not in heads and head not in (TRIAL, VALUE, *NOTES)]


def problems(header: Sequence[str], heads: Mapping[str, str]) -> Iterator[str]:
    """Why a table with these columns cannot be read.

    One of people's own, a comment say, is left alone, unless it may be a variable's that is missing.
    """
    yield from (f"the column {head!r} stands twice" for head in (TRIAL, VALUE, *heads) if header.count(head) > 1)
    missing = [head for head in heads if head not in header]
    lacking = [*missing, *([] if VALUE in header else [VALUE])]
    for head in unknown(header, heads):
        hint = did_you_mean(head, lacking)
        if hint or (missing and TRIAL not in header):
            yield f"the column {head!r} is neither a variable nor one of ours; rename it or drop it.{hint}"
    if VALUE not in header:
        yield f"has no column {VALUE!r}; it holds the results"
    if missing and TRIAL not in header:
        yield f"has neither the column {TRIAL!r} nor all variables; {missing[0]!r} is missing"
