"""Weighted formulas in conjunctive normal form, and their DIMACS files (old and new format)."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from casmopolitan.errors import DataError

GZIP = b"\x1f\x8b"


@dataclass(frozen=True, eq=False)
class Formula:
    """Clauses over n variables; literal k > 0 holds when x_k = 1, literal −k when x_k = 0.

    weights (m,), hard (m,): whether a clause is hard; `variables` and `positive` hold the literals of all clauses one
    after the other (0-based variable, sign), and `starts` the first literal of each clause.
    """

    n: int
    weights: NDArray[np.float64]
    hard: NDArray[np.bool_]
    variables: NDArray[np.int64]
    positive: NDArray[np.bool_]
    starts: NDArray[np.int64]

    def satisfied(self, x: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which clauses the assignment x (n,) satisfies."""
        return np.logical_or.reduceat(x[self.variables] == self.positive, self.starts)


def formula(n: int, clauses: list[tuple[float, bool, tuple[int, ...]]]) -> Formula:
    """Return the formula of (weight, hard, literals) triples; every clause has at least one literal."""
    literals = np.array([literal for _, _, clause in clauses for literal in clause], dtype=np.int64)
    lengths = [len(clause) for _, _, clause in clauses]
    return Formula(
        n=n,
        weights=np.array([weight for weight, _, _ in clauses], dtype=np.float64),
        hard=np.array([hard for _, hard, _ in clauses], dtype=bool),
        variables=np.abs(literals) - 1,
        positive=literals > 0,
        starts=np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64),
    )


def read(path: str | Path) -> Formula:
    """Return the formula in a WCNF file, plain or gzipped.

    Old format: a header `p wcnf variables clauses [top]`, then `weight literals 0`; a clause of weight >= top is hard.
    New format: no header, `weight literals 0` for a soft clause and `h literals 0` for a hard one. A hard clause of the new
    format has no weight of its own; it gets the total of the soft weights plus one.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if data.startswith(GZIP) else data).decode("utf-8")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read as a WCNF file ({error})") from error
    return parse(text, str(path))


def parse(text: str, where: str = "<text>") -> Formula:
    """Return the formula in the text of a WCNF file; errors name it by `where`."""
    header: tuple[int, int, float] | None = None
    clauses: list[tuple[float, bool, tuple[int, ...]]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        at = f"{where}, line {number}"
        if not words or words[0].startswith("c"):
            continue
        if words[0] == "p":
            if header or clauses:
                raise DataError(f"{at}: a second header, or one after the first clause; 'p wcnf' comes once, at the top")
            header = _header(words, at)
        else:
            clauses.append(_clause(words, at, header))
    if not clauses:
        raise DataError(f"{where}: has no clause; a WCNF file has lines such as '3 1 -2 0'")
    if header and header[1] != len(clauses):
        raise DataError(f"{where}: the header announces {header[1]} clauses, but the file has {len(clauses)}; is it truncated?")
    n = header[0] if header else max(abs(literal) for _, _, clause in clauses for literal in clause)
    heavy = 1 + sum(weight for weight, hard, _ in clauses if not hard)
    return formula(n, [(weight if header else heavy if hard else weight, hard, c) for weight, hard, c in clauses])


def _header(words: list[str], at: str) -> tuple[int, int, float]:
    """Return (variables, clauses, top) of an old-format header; top is inf if the file has none."""
    try:
        if words[1] != "wcnf" or len(words) not in (4, 5):
            raise ValueError
        n, m, top = int(words[2]), int(words[3]), float(words[4]) if len(words) == 5 else float("inf")
        if n < 1 or m < 1 or not top > 0:
            raise ValueError
    except (ValueError, IndexError):
        raise DataError(f"{at}: '{' '.join(words)}' is not a header; write 'p wcnf variables clauses [top]'") from None
    return n, m, top


def _clause(words: list[str], at: str, header: tuple[int, int, float] | None) -> tuple[float, bool, tuple[int, ...]]:
    """Return (weight, hard, literals) of one clause line; a new-format hard clause gets its weight later."""
    marked = words[0] == "h"
    if marked and header:
        raise DataError(f"{at}: 'h' marks a hard clause in files without a 'p wcnf' header; here give a weight >= top")
    try:
        weight = 0.0 if marked else float(words[0])
        literals = tuple(int(word) for word in words[1:])
    except ValueError:
        raise DataError(f"{at}: '{' '.join(words)}' is not a clause; write 'weight literal ... literal 0'") from None
    if not marked and not 0 <= weight < float("inf"):
        raise DataError(f"{at}: the weight {words[0]} is not a finite number >= 0")
    if len(literals) < 2 or literals[-1] != 0 or 0 in literals[:-1]:
        raise DataError(f"{at}: a clause has at least one literal and ends with a single 0; got '{' '.join(words)}'")
    beyond = [literal for literal in literals if header and abs(literal) > header[0]]
    if beyond and header:
        raise DataError(f"{at}: literal {beyond[0]} is out of range; the header has {header[0]} variables")
    return weight, marked or (header is not None and weight >= header[2]), literals[:-1]
