"""The paper's test problems and its rivals', by name: `get("pest-25")` is a Problem, `names()` lists them.

Every problem is minimised; where a paper maximises, the sign is flipped. Builders such as `contamination` and `maxsat` make
members that no name reaches; each is imported when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from casmopolitan.problems.problem import Optimum, Problem
from casmopolitan.problems.registry import get, names
from casmopolitan.problems.relocation import relocated

if TYPE_CHECKING:
    from casmopolitan.problems.satisfiability import maxsat

__all__ = ["Optimum", "Problem", "get", "maxsat", "names", "relocated"]

_LAZY = {"maxsat": "satisfiability"}


def __getattr__(name: str) -> Any:
    """A builder, imported now that it is wanted."""
    if name in _LAZY:
        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
