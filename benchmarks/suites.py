"""Which problems belong to which suite. "name@1" is the problem relocated with seed 1: its optimum lies elsewhere."""

from __future__ import annotations

import casmopolitan as cas

CORE = ("pest-25", "contamination-25", "maxsat-60", "ackley-53", "labs-50", "func2c", "func3c", "rosenbrock-200")
WCNF = "wcnf:"


def suite(name: str) -> list[str]:
    if name == "smoke":
        return ["func2c", "pest-25"]
    if name == "core":
        return [*CORE, *(f"{problem}@1" for problem in CORE)]
    if name == "full":
        return [problem for problem in cas.problems.names() if cas.problems.get(problem).noise == 0]
    raise SystemExit(f"No suite is called {name!r}; there are smoke, core and full.")


def problem_named(name: str) -> cas.problems.Problem:
    """A registered problem, or the MaxSAT instance of a file: "wcnf:PATH"."""
    if name.startswith(WCNF):
        return cas.problems.maxsat(name.removeprefix(WCNF))
    return cas.problems.get(name)
