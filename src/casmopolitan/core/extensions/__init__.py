"""Additions to the paper, one file each. Config and outcomes select those that `ask` applies; in the paper's case, none."""

from __future__ import annotations

from collections.abc import Callable

from casmopolitan.config import Config
from casmopolitan.core.ask import Ask, Extension
from casmopolitan.core.extensions.balanced_design import BalancedDesign
from casmopolitan.core.extensions.failures import Failures
from casmopolitan.core.extensions.global_trials import GlobalTrials
from casmopolitan.core.extensions.limits import Limits
from casmopolitan.core.extensions.new_choices import NewChoices
from casmopolitan.core.extensions.objectives import MOST, Objectives
from casmopolitan.core.extensions.scalarised import Scalarised
from casmopolitan.core.extensions.sparse_trials import SparseTrials
from casmopolitan.core.outcomes import PLAIN, Outcomes


def extensions_for(
    config: Config, outcomes: Outcomes = PLAIN, *, new_choices: bool = False
) -> tuple[Callable[[Ask], Extension], ...]:
    """Return the extensions that a config and the outcomes select, and one more if the space has been given new choices."""
    kinds: list[Callable[[Ask], Extension]] = []
    if config.design == "balanced":
        kinds.append(BalancedDesign)
    if config.global_every:
        kinds.append(GlobalTrials)
    if config.sparse_every and config.priors == "freed" and outcomes.plain:
        kinds.append(SparseTrials)
    if outcomes.objectives > 1:
        kinds.append(Objectives if outcomes.objectives <= MOST else Scalarised)
    if outcomes.limits:
        kinds.append(Limits)
    if config.failures == "learnt" and (config.acquisition == "log-ei" or not outcomes.plain):
        kinds.append(Failures)
    if new_choices:
        kinds.append(NewChoices)
    return tuple(kinds)
