"""RNA inverse folding: find a sequence of bases that folds into a given structure (extra `bench`: ViennaRNA)."""

from __future__ import annotations

from functools import partial

from casmopolitan.errors import DataError, MissingExtraError
from casmopolitan.problems.problem import Configuration, Optimum, Problem, numbered
from casmopolitan.space import Categorical, Space

BASES = ("A", "C", "G", "U")

STRUCTURES = {
    "hairpin": ("((((((....))))))", "CGGAUUUUCAGAUUCG"),
    "junction": ("(((((..((((....))))..((((....))))..)))))", "GUCGGAAGUAUUAAGAUACACUAUGGUCCCAUAAGCUGAU"),
    "cloverleaf": (
        "(((((((..((((........))))((((.......)))).....(((((.......))))))))))))....",
        "CGGAUGCUUCUUAGUACCCAGUAAGGAGGGACGGAACCUUGUGUUGAUUGUCGAGCUCGAUCGCGUCUGAUGU",
    ),
}
"""Name -> a target in dot-bracket notation and a sequence that folds into it."""


def rna(target: str, *, name: str | None = None, solution: str | None = None) -> Problem:
    """Return the problem of finding a sequence that folds into a structure.

    f = number of positions at which the minimum-free-energy structure of the sequence differs from the target.

    Args:
        target: The structure in dot-bracket notation.
        name: The name of the problem.
        solution: A sequence that folds into the target, if one is known.

    Returns:
        The problem.

    Raises:
        DataError: If the brackets of the target do not match.
    """
    _check(target)
    bases = numbered("base", len(target))
    best = dict(zip(bases, solution, strict=True)) if solution else None
    return Problem(
        name=name or f"rna:{target}",
        space=Space({base: Categorical(list(BASES)) for base in bases}),
        function=partial(_distance, names=bases, target=target),
        source="Dreczkowski et al. 2023 (MCBO); folding by ViennaRNA (Lorenz et al. 2011)",
        optimum=Optimum(0.0, best, exact=best is not None),
    )


def rna_named(structure: str) -> Problem:
    """Return the inverse folding of one of the STRUCTURES."""
    target, solution = STRUCTURES[structure]
    return rna(target, name=f"rna-{structure}", solution=solution)


def folded(sequence: str) -> str:
    """Return the minimum-free-energy structure of the sequence, in dot-bracket notation."""
    try:
        import RNA
    except ImportError as error:
        raise MissingExtraError("RNA inverse folding", "ViennaRNA", "bench") from error
    return str(RNA.fold(sequence)[0])


def _distance(configuration: Configuration, names: tuple[str, ...], target: str) -> float:
    """Return the Hamming distance between the folded sequence and the target."""
    structure = folded("".join(str(configuration[name]) for name in names))
    return float(sum(a != b for a, b in zip(structure, target, strict=True)))


def _check(target: str) -> None:
    """Raise a DataError unless the brackets match."""
    depth = 0
    for position, symbol in enumerate(target, start=1):
        depth += {"(": 1, ")": -1, ".": 0}.get(symbol, -len(target) - 1)
        if depth < 0:
            raise DataError(f"The target structure has '{symbol}' at position {position}; use matching ( ) and .")
    if depth or not target:
        raise DataError(f"The target structure '{target}' is empty or leaves {depth} brackets open; every ( needs a )")
