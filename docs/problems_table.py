"""Write the table of all listed problems: python docs/problems_table.py > docs/problems.md"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from casmopolitan.problems.problem import Problem
from casmopolitan.problems.registry import FAMILIES, family_of, get, names
from casmopolitan.space import Categorical, Integer, Ordinal, Space

HEAD = """# The problems

<!-- Written by `python docs/problems_table.py`; do not edit by hand. -->

`cas.problems.get(name)` returns a problem. `problem(configuration)` evaluates it, `problem.optimum` holds the best known value,
and `problem.solved(value)` tells whether a value reaches it. All are minimised: if a paper maximises, the sign is flipped.
"""

LEGEND = """
*Size* is the number of configurations of the discrete part, times ℝ^d for d continuous variables. *Optimum* is exact
(proven, by enumeration or construction) unless marked as best known, and never includes noise. *Cost* is the order of magnitude
of one evaluation on one core. `xgboost-…`, `attack-digits…`, `svr-53` and `rna-…` need the extra `bench` to be evaluated. The
noise of size 1e-6 that the authors' code adds to some problems is left out.

## Names

A name is `stem[-number…][-option…][@seed]`; parts that are left out have defaults, and options may have any order.
`@seed` relocates any problem: it permutes the choices of each categorical variable, reverses each ordinal and integer variable
with probability ½, and shifts the continuous box (or reverses it if the function is not defined beyond its box). The optimum
value stays the same.

"""


@dataclass(frozen=True)
class Row:
    """One line of the table, as text."""

    name: str
    variables: str
    size: str
    optimum: str
    source: str
    cost: str


def rows() -> list[Row]:
    """Return a row for every listed problem."""
    return [_row(name, get(name)) for name in names()]


def markdown() -> str:
    """Return the text of `docs/problems.md`."""
    lines = ["| name | variables | size | optimum | source | cost |", "|---|---|---|---|---|---|"]
    lines += [f"| `{r.name}` | {r.variables} | {r.size} | {r.optimum} | {r.source} | {r.cost} |" for r in rows()]
    grammar = [f"- `{family.grammar}`" for family in FAMILIES]
    return "\n".join([HEAD, *lines, LEGEND.rstrip("\n") + "\n", *grammar]) + "\n"


def _row(name: str, problem: Problem) -> Row:
    """Return the row of one problem."""
    return Row(name, variables(problem.space), size(problem.space), _optimum(problem), problem.source, family_of(name).cost)


def variables(space: Space) -> str:
    """Return the variables by kind and number of values: `50 categorical × 2, 3 real`."""
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
    """Return the number of points of the discrete part, times `ℝ^d` if there are continuous variables."""
    counts = [int(v.count) for v in space.variables.values() if v.count != math.inf]
    reals = len(space.variables) - len(counts)
    whole = math.prod(counts)
    text = str(whole) if whole < 10**6 else f"{whole:.2e}"
    return " × ".join(([text] if counts else []) + ([f"ℝ^{reals}"] if reals else []))


def _optimum(problem: Problem) -> str:
    """Return the optimum's value to at least six digits, the goal, or a dash."""
    if problem.goal is not None:
        return f"succeeds at {problem.goal:g}"
    if problem.optimum is None:
        return "–"
    value = problem.optimum.value
    return f"{value:.6f}".rstrip("0").rstrip(".") + ("" if problem.optimum.exact else " (best known)")


if __name__ == "__main__":
    print(markdown(), end="")
