"""Additions to the paper, one file each. A config selects those that `ask` applies; the paper's config selects none."""

from __future__ import annotations

from collections.abc import Callable

from casmopolitan.config import Config
from casmopolitan.core.ask import Ask, Extension
from casmopolitan.core.extensions.balanced_design import BalancedDesign
from casmopolitan.core.extensions.failures import Failures
from casmopolitan.core.extensions.global_trials import GlobalTrials
from casmopolitan.core.extensions.sparse_trials import SparseTrials


def extensions_for(config: Config) -> tuple[Callable[[Ask], Extension], ...]:
    """Return the extensions that a config selects."""
    kinds: list[Callable[[Ask], Extension]] = []
    if config.design == "balanced":
        kinds.append(BalancedDesign)
    if config.global_every:
        kinds.append(GlobalTrials)
    if config.sparse_every and config.priors == "freed":
        kinds.append(SparseTrials)
    if config.failures == "learnt" and config.acquisition == "log-ei":
        kinds.append(Failures)
    return tuple(kinds)
