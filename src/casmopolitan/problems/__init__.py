"""Benchmark problems of the paper and of competing methods: `get("pest-25")` returns one, `names()` lists them.

Every problem is minimised; if a paper maximises, the sign is flipped. `maxsat`, `attack`, `rna` and `xgboost_mnist` make
problems from your own data: a formula, an image and a classifier, a structure, a data set.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from casmopolitan.problems.problem import Optimum, Problem
from casmopolitan.problems.registry import get, names
from casmopolitan.problems.relocation import relocated

if TYPE_CHECKING:
    from casmopolitan.problems.adversarial.attack import attack
    from casmopolitan.problems.adversarial.digits import attacked_image
    from casmopolitan.problems.adversarial.digits import instances as attack_instances
    from casmopolitan.problems.folding import rna
    from casmopolitan.problems.satisfiability.maxsat import maxsat
    from casmopolitan.problems.tuning.boosting import xgboost_mnist

__all__ = [
    "Optimum",
    "Problem",
    "attack",
    "attack_instances",
    "attacked_image",
    "get",
    "maxsat",
    "names",
    "relocated",
    "rna",
    "xgboost_mnist",
]

_LAZY = {
    "attack": ("adversarial.attack", "attack"),
    "attack_instances": ("adversarial.digits", "instances"),
    "attacked_image": ("adversarial.digits", "attacked_image"),
    "maxsat": ("satisfiability.maxsat", "maxsat"),
    "rna": ("folding", "rna"),
    "xgboost_mnist": ("tuning.boosting", "xgboost_mnist"),
}


def __getattr__(name: str) -> Any:
    """Import a rarely needed function on first use."""
    if name in _LAZY:
        module, function = _LAZY[name]
        return getattr(import_module(f"{__name__}.{module}"), function)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
