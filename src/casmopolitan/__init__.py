"""Bayesian optimisation when most of your knobs are choices."""

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
from casmopolitan.optimizer import Optimizer
from casmopolitan.presets import ABLATIONS, AUTHORS_CODE, DEFAULT, PAPER
from casmopolitan.result import Result
from casmopolitan.run import maximize, minimize
from casmopolitan.space import Categorical, Forbid, Integer, Ordinal, Real, Space
from casmopolitan.trial import FAILED, Trial

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
    "presets",
    "problems",
]
