"""The table of all listed problems, which `docs/problems.md` and the command line show."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from casmopolitan.problems.problem import Problem
from casmopolitan.problems.registry import FAMILIES, family_of, get, names
from casmopolitan.space import Categorical, Integer, Ordinal, Space

HEAD = """# The problems

<!-- Written by `python -m casmopolitan.problems.table`; do not edit by hand. -->

`cas.problems.get(name)` builds a problem; `problem(configuration)` evaluates it, `problem.optimum` says what is known, and
`problem.solved(value)` whether to stop. All are minimised: where a paper maximises, the sign is flipped.
"""

LEGEND = """
*Size* is the number of configurations of the discrete part; continuous variables come on top as ℝ^d. *Optimum* is exact
(proven, by enumeration or construction) unless it says best known, and never counts noise. *Cost* is the order of one
evaluation on one core. `xgboost-…`, `attack-digits…`, `svr-53` and `rna-…` need the extra `bench` to be evaluated. The noise
of size 1e-6 that the authors' code adds to some problems is left out.

## Names

A name is `stem[-number…][-option…][@seed]`; what is left out has a default, and options come in any order.
`@seed` relocates any problem: it permutes the choices of each categorical, reverses ordinals and integers by the
toss of a coin, and shifts the continuous box (or reverses it where the function ends at its box), with the same optimum value.

"""


@dataclass(frozen=True)
class Row:
    """One line of the table, as words."""

    name: str
    variables: str
    size: str
    optimum: str
    source: str
    cost: str


def rows() -> list[Row]:
    """A row for every listed problem."""
    return [_row(name, get(name)) for name in names()]


def markdown() -> str:
    """The text of `docs/problems.md`."""
    lines = ["| name | variables | size | optimum | source | cost |", "|---|---|---|---|---|---|"]
    lines += [f"| `{r.name}` | {r.variables} | {r.size} | {r.optimum} | {r.source} | {r.cost} |" for r in rows()]
    grammar = [f"- `{family.grammar}`" for family in FAMILIES]
    return "\n".join([HEAD, *lines, LEGEND.rstrip("\n") + "\n", *grammar]) + "\n"


def _row(name: str, problem: Problem) -> Row:
    """What is known about one problem."""
    return Row(name, variables(problem.space), size(problem.space), _optimum(problem), problem.source, family_of(name).cost)


def variables(space: Space) -> str:
    """The variables by kind and number of values: `50 categorical × 2, 3 real`."""
    kinds = Counter(
        f"categorical × {v.count}"
        if isinstance(v, Categorical)
        else f"ordinal × {v.count}"
        if isinstance(v, Ordinal)
        else f"integer × {v.count}"
        if isinstance(v, Integer)
        else "real"
        for v in space.variables.values()
    )
    return ", ".join(f"{n} {kind}" for kind, n in kinds.items())


def size(space: Space) -> str:
    """The number of points of the discrete part, and `ℝ^d` where continuous variables come on top."""
    counts = [int(v.count) for v in space.variables.values() if v.count != math.inf]
    reals = len(space.variables) - len(counts)
    whole = math.prod(counts)
    text = str(whole) if whole < 10**6 else f"{whole:.2e}"
    return " × ".join(([text] if counts else []) + ([f"ℝ^{reals}"] if reals else []))


def _optimum(problem: Problem) -> str:
    """The optimum's value to six significant digits or more, its goal, or a dash."""
    if problem.goal is not None:
        return f"succeeds at {problem.goal:g}"
    if problem.optimum is None:
        return "–"
    value = problem.optimum.value
    return f"{value:.6f}".rstrip("0").rstrip(".") + ("" if problem.optimum.exact else " (best known)")


if __name__ == "__main__":
    print(markdown(), end="")
