"""The paper's test problems and its rivals', by name: `get("pest-25")` is a Problem, `names()` lists them.

Every problem is minimised; where a paper maximises, the sign is flipped. `maxsat`, `attack`, `rna` and `xgboost_mnist` make
problems of what you bring: a formula, an image and a victim, a structure, a data set. Nothing is built on import.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from casmopolitan.problems.problem import Optimum, Problem
from casmopolitan.problems.registry import get, names
from casmopolitan.problems.relocation import relocated

if TYPE_CHECKING:
    from casmopolitan.problems.adversarial.attack import attack
    from casmopolitan.problems.adversarial.digits import instances as attack_instances
    from casmopolitan.problems.folding import rna
    from casmopolitan.problems.satisfiability.maxsat import maxsat
    from casmopolitan.problems.table import markdown, rows
    from casmopolitan.problems.tuning.boosting import xgboost_mnist

__all__ = [
    "Optimum",
    "Problem",
    "attack",
    "attack_instances",
    "get",
    "markdown",
    "maxsat",
    "names",
    "relocated",
    "rna",
    "rows",
    "xgboost_mnist",
]

_LAZY = {
    "attack": ("adversarial.attack", "attack"),
    "attack_instances": ("adversarial.digits", "instances"),
    "markdown": ("table", "markdown"),
    "maxsat": ("satisfiability.maxsat", "maxsat"),
    "rna": ("folding", "rna"),
    "rows": ("table", "rows"),
    "xgboost_mnist": ("tuning.boosting", "xgboost_mnist"),
}


def __getattr__(name: str) -> Any:
    """A function that few need, imported now that it is wanted."""
    if name in _LAZY:
        module, function = _LAZY[name]
        return getattr(import_module(f"{__name__}.{module}"), function)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
