"""Bayesian optimisation when most of your knobs are choices."""

from importlib import import_module
from typing import TYPE_CHECKING

from casmopolitan import presets, problems
from casmopolitan.config import Config
from casmopolitan.errors import (
    CasmopolitanError,
    ConfigError,
    DataError,
    ExhaustedError,
    InfeasibleError,
    MissingExtraError,
    RunError,
    SpaceError,
    UnknownProblemError,
)
from casmopolitan.presets import ABLATIONS, AUTHORS_CODE, DEFAULT, PAPER
from casmopolitan.space import Categorical, Forbid, Integer, Ordinal, Real, Space
from casmopolitan.trial import FAILED, Trial

if TYPE_CHECKING:
    __version__: str
    from casmopolitan import plots, report, study
    from casmopolitan.optimizer import Optimizer
    from casmopolitan.run import maximize, minimize, optimize
    from casmopolitan.run.result import Result

__all__ = [
    "ABLATIONS",
    "AUTHORS_CODE",
    "DEFAULT",
    "FAILED",
    "PAPER",
    "CasmopolitanError",
    "Categorical",
    "Config",
    "ConfigError",
    "DataError",
    "ExhaustedError",
    "Forbid",
    "InfeasibleError",
    "Integer",
    "MissingExtraError",
    "Optimizer",
    "Ordinal",
    "Real",
    "Result",
    "RunError",
    "Space",
    "SpaceError",
    "Trial",
    "UnknownProblemError",
    "maximize",
    "minimize",
    "optimize",
    "plots",
    "presets",
    "problems",
    "report",
    "study",
]

_LATER = {
    "Optimizer": "casmopolitan.optimizer",
    "Result": "casmopolitan.run.result",
    "maximize": "casmopolitan.run",
    "minimize": "casmopolitan.run",
    "optimize": "casmopolitan.run",
}
"""Names that need SciPy are imported on first use: describing a space should not take half a second."""


if not TYPE_CHECKING:  # a type checker that saw it would accept every misspelt name

    def __getattr__(name: str) -> object:
        if name in ("plots", "report", "study"):
            return import_module(f"casmopolitan.{name}")
        if name == "__version__":
            return import_module("importlib.metadata").version("casmopolitan")
        if name not in _LATER:
            raise AttributeError(f"module 'casmopolitan' has no attribute {name!r}")
        value = getattr(import_module(_LATER[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """Return the public names for completion, including those imported on first use."""
    return sorted({*__all__, "__version__", *(name for name in globals() if name.startswith("__"))})
