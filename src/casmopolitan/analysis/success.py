"""The probability that a trial does not fail and meets all limits, by models of all trials of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from casmopolitan.blas import one_thread
from casmopolitan.core.acquisition.acquisition import Score
from casmopolitan.core.ask import Ask
from casmopolitan.core.extensions.failures import Failures
from casmopolitan.core.extensions.limits import Limits
from casmopolitan.core.gp.feasibility import SuccessModel
from casmopolitan.optimizer import Optimizer
from casmopolitan.trial import Configuration


@dataclass(frozen=True)
class Chances:
    """The models of failures and of limits."""

    optimizer: Optimizer
    failures: SuccessModel | None
    limits: Score | None

    def __call__(self, configurations: Sequence[Configuration]) -> list[float]:
        """Return the probability that a trial of each configuration succeeds and meets all limits."""
        points = self.optimizer.space.encode(configurations)
        chance = np.ones(len(points))
        with one_thread():
            if self.failures is not None:
                chance = chance * self.failures.probability(points)
            if self.limits is not None:
                chance = chance * np.exp(self.limits(points))
        return [float(one) for one in chance]


def chances_of(optimizer: Optimizer) -> Chances | None:
    """Return the chances of success that an optimiser's trials suggest; None if none has failed and there are no limits."""
    config = replace(optimizer.config, data="all")
    this = Ask(optimizer.space.domain, config, optimizer.seed, optimizer.state, len(optimizer.trials))
    with one_thread():
        failures = Failures(this).success
        limits = Limits(this).probabilities if optimizer.goals.limits else None
    return None if failures is None and limits is None else Chances(optimizer, failures, limits)
