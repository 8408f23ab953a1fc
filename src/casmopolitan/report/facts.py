"""What a page shows: the facts about a run besides its trials, and what the models say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from casmopolitan.analysis.row import TrialRow
from casmopolitan.analysis.success import Chances
from casmopolitan.goals import Goals
from casmopolitan.report.model import ModelSummary


@dataclass(frozen=True)
class Facts:
    """The facts on the page besides the trials."""

    name: str
    goals: Goals
    budget: int | None
    """The total number of trials; None if there is no limit."""
    made: str
    """The date of the page."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, Any] = field(default_factory=dict)
    description: str = ""
    baseline: Mapping[str, Any] | None = None
    """The configuration to compare the best one with."""
    command: Callable[[TrialRow], str] | None = None
    """Returns the command that repeats a trial; None if there is no program."""


@dataclass(frozen=True)
class Found:
    """What the models of a run say."""

    models: Sequence[ModelSummary] = ()
    """One per objective."""
    chances: Chances | None = None
    suggestions: Sequence[TrialRow] = ()
    """The trials that would be suggested next, with their explanations."""


NOTHING = Found()
"""Of a run without a model."""
