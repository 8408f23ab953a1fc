"""The report of a run in Python: the trials of a result or an optimiser as rows, and its next suggestions."""

from __future__ import annotations

import contextlib
import copy
import time
from collections.abc import Mapping
from typing import Any

from casmopolitan.analysis.ranking import best_by_model
from casmopolitan.analysis.row import State, TrialRow
from casmopolitan.errors import CasmopolitanError, DataError
from casmopolitan.optimizer import Optimizer
from casmopolitan.presets import DEFAULT
from casmopolitan.report.facts import Facts, Found
from casmopolitan.report.model import chances_of_success, summarise_models
from casmopolitan.report.page import render
from casmopolitan.run.evaluation import headline
from casmopolitan.run.result import Result
from casmopolitan.trial import Status, Trial
from casmopolitan.versions import versions

SUGGESTED = 3
"""How many suggestions a report shows."""
PACKAGES = ("numpy", "scipy")

STATES: dict[Status, State] = {"complete": "complete", "failed": "failed", "pending": "asked", "cancelled": "cancelled"}


def page_of(source: Result | Optimizer, name: str, description: str, baseline: Mapping[str, Any] | None) -> str:
    """Return the report of a run as an HTML page."""
    if not isinstance(source, Result | Optimizer):
        raise DataError(f"a report is written for a Result or an Optimizer; got a {type(source).__name__}")
    optimizer = source if isinstance(source, Optimizer) else source.optimizer
    space, config, seed, goals = optimizer.space, optimizer.config, optimizer.seed, optimizer.goals
    rows = [_row(trial, source) for trial in (source.trials if isinstance(source, Result) else optimizer.trials)]
    best = best_by_model(rows, space, config, seed, goals, {study.name: study for study in optimizer.past})
    models = summarise_models(rows, space, config, seed, goals, best)
    chances = chances_of_success(rows, space, config, seed, goals)
    facts = Facts(
        name,
        goals,
        None,
        made(),
        {"goal": str(goals), "seed": seed, **changed_settings(config.to_dict())},
        versions(PACKAGES),
        description,
        baseline if baseline is not None else next(iter(optimizer.initial), None),
    )
    return render(facts, rows, space, Found(models, chances, _suggestions(optimizer)), best)


def made() -> str:
    """Return the date and time of a report."""
    return time.strftime("%d %B %Y, %H:%M")


def changed_settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that differ from the default ones."""
    default = DEFAULT.to_dict()
    return {name: value for name, value in config.items() if value != default[name]}


def _row(trial: Trial, source: Result | Optimizer) -> TrialRow:
    errors, durations = (source.errors, source.durations) if isinstance(source, Result) else ({}, {})
    error = errors.get(trial.number)
    return TrialRow(
        trial.number,
        STATES[trial.status],
        trial.value,
        trial.configuration,
        trial.explanation,
        known=trial.explanation.get("source") == "given",
        outside=trial.outside,
        seconds=durations.get(trial.number),
        error=None if error is None else headline(error),
        ending=None if error is None else headline(error).partition(":")[0],
        tail=error or "",
        outcomes=trial.outcomes,
        feasible=trial.feasible,
    )


def _suggestions(optimizer: Optimizer) -> list[TrialRow]:
    """Return what a copy of the optimiser suggests next; nothing if the space is exhausted."""
    twin = copy.deepcopy(optimizer)
    with contextlib.suppress(CasmopolitanError):
        return [TrialRow(t.number, "complete", None, t.configuration, t.explanation) for t in twin.ask(SUGGESTED)]
    return []
