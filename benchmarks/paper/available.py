"""Why a cell cannot be run here: its method or problem does not exist, or a package or the released code is missing."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

import casmopolitan as cas
from benchmarks import arena
from benchmarks.ledger import Cell
from benchmarks.peers import PEERS
from benchmarks.peers.ours import config_named
from benchmarks.peers.released_code import has_checkout

METHOD_NEEDS = {"hyperopt": ("hyperopt",), "smac": ("smac",)}
PROBLEM_NEEDS = {"xgboost": ("xgboost", "sklearn"), "attack": ("sklearn",)}
"""The packages that a method, or a problem whose name starts so, needs."""


@cache
def obstacle_of_method(method: str) -> str | None:
    """Return why a method cannot be run here; None if it can."""
    if method not in PEERS:
        try:
            config_named(method)
        except (SystemExit, TypeError, ValueError, cas.CasmopolitanError):
            return f"no method is called {method!r}"
    if method == "released-code" and not has_checkout():
        return f"{method} needs the authors' code; pass its folder with --released FOLDER"
    if method in PEERS and PEERS[method].torch and not arena.TORCH_PYTHON.exists():
        return f"{method} needs torch; run make bench-env"
    return absent(method, METHOD_NEEDS.get(method, ()))


@cache
def obstacle_of_problem(problem: str) -> str | None:
    """Return why a problem cannot be run here; None if it can."""
    try:
        cas.problems.get(problem)
    except cas.CasmopolitanError:
        return f"no problem is called {problem!r}"
    return absent(problem, next((needs for stem, needs in PROBLEM_NEEDS.items() if problem.startswith(stem)), ()))


def absent(name: str, packages: tuple[str, ...]) -> str | None:
    missing = [package for package in packages if find_spec(package) is None]
    return f"{name} needs {' and '.join(missing)}, not installed here" if missing else None


def obstacle(cell: Cell) -> str | None:
    return obstacle_of_method(cell.method) or obstacle_of_problem(cell.problem)
