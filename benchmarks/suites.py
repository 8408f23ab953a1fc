"""The problems of each suite. "name@1" is the problem with its optimum moved by seed 1."""

from __future__ import annotations

from pathlib import Path

import casmopolitan as cas
from benchmarks import planted, tables

CORE = ("pest-25", "contamination-25", "maxsat-60", "ackley-53", "labs-50", "func2c", "func3c", "rosenbrock-200")
WCNF = "wcnf:"


def suite(name: str, folder: Path | None = None) -> list[str]:
    if name == "tables":
        if folder is None:
            raise SystemExit("--suite tables needs --tables FOLDER, the folder that holds the CSV files.")
        return tables.names_in(folder)
    if name in ("planted", "planted-judge"):
        return planted.names(judging=name == "planted-judge")
    if name == "smoke":
        return ["func2c", "pest-25"]
    if name == "core":
        return [*CORE, *(f"{problem}@1" for problem in CORE)]
    if name == "full":
        return [problem for problem in cas.problems.names() if cas.problems.get(problem).noise == 0]
    raise SystemExit(f"No suite is called {name!r}; there are smoke, core, full, tables, planted and planted-judge.")


def problem_named(name: str) -> cas.problems.Problem:
    """Return a registered problem, a MaxSAT file ("wcnf:PATH"), a table ("table:NAME") or a planted function."""
    if name.startswith(tables.PREFIX):
        return tables.table(tables.path_of(name), tables.title(name))
    if name.startswith(planted.PREFIX):
        return planted.planted(name.removeprefix(planted.PREFIX))
    if name.startswith(WCNF):
        return cas.problems.maxsat(name.removeprefix(WCNF))
    return cas.problems.get(name)
