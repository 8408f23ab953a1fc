"""The models of a report, fitted to the trials of a study: relevance, predictions around the best point, and a check."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from casmopolitan.analysis.check import ModelCheck, check_model
from casmopolitan.analysis.front import largest_contribution
from casmopolitan.analysis.pairs import Pair, pair_around
from casmopolitan.analysis.ranking import told_again
from casmopolitan.analysis.row import TrialRow, leading, ranked, valued
from casmopolitan.analysis.slices import Slice, slice_around
from casmopolitan.analysis.success import Chances, chances_of
from casmopolitan.config import Config
from casmopolitan.core.gp.structure import Additivity, Structure
from casmopolitan.errors import CasmopolitanError, DataError
from casmopolitan.formatting import abbreviate
from casmopolitan.goals import VALUE, Goals
from casmopolitan.optimizer import Optimizer
from casmopolitan.space import Space
from casmopolitan.trial import Configuration, Direction

MOST_TRIALS = 400
"""Maximum number of trials that the model is fitted to: half of them the best, half the latest."""
MOST_SLICES = 60
PAIR_STEPS = 11
"""Steps from one end of a number's range to the other in a heat map."""
MOST_NAMES = 12
"""Maximum number of variables that the sentence about the structure names."""

MEANING: dict[Additivity, str] = {
    "nearly additive": "It is nearly additive: {single} of the variance comes from single variables, so the effect of one "
    "hardly depends on the others.",
    "mostly single variables and pairs": "{single} of the variance comes from single variables: "
    "the best value of one may depend on others.",
    "rugged: many variables act together": "It is rugged: only {single} of the variance comes from single variables. The best "
    "value of one depends on several others.",
}


@dataclass(frozen=True)
class ModelSummary:
    """Which variables matter and how they act together, and the slices, the most relevant variable first."""

    structure: Structure
    slices: list[Slice]
    trials: int
    """The number of trials that the model was fitted to."""
    objective: str
    """The name of the objective."""
    around: int
    """The trial at which the slices cross."""
    centre: Configuration
    """Its configuration."""
    seen: tuple[float, float]
    """The smallest and the largest value of the objective."""
    pair: Pair | None
    """The predictions over the two most relevant variables; None if there are none."""
    check: ModelCheck | None
    """Predictions of the trials by a model without them; None if they are too few."""
    optimizer: Optimizer
    """It was told the trials, and predicts others."""


def summarise_models(
    rows: Sequence[TrialRow], space: Space, config: Config, seed: int, goals: Goals, best_first: Sequence[TrialRow] = ()
) -> list[ModelSummary]:
    """Fit a model of each objective to a study's trials; leave out those that have too few.

    With several objectives, the slices cross at the trial of the front that contributes most to the hypervolume.
    """
    if goals.single:
        projected = {goals.order[0]: rows}
        around = best_first
    else:
        projected = {name: [replace(row, value=(row.outcomes or {}).get(name)) for row in rows] for name in goals.objectives}
        around = [largest_contribution(leading(best_first, goals), goals)] if best_first else []
    found = [
        summarise_model(projected[name], space, config, seed, way, around, name)
        for name, way in zip(projected, goals.objectives.values(), strict=True)
    ]
    return [model for model in found if model is not None]


def summarise_model(
    rows: Sequence[TrialRow],
    space: Space,
    config: Config,
    seed: int,
    direction: Direction,
    best_first: Sequence[TrialRow] = (),
    objective: str = VALUE,
) -> ModelSummary | None:
    """Fit the model of one objective to the values of a study's trials; return None if they are too few.

    The model has one lengthscale per variable even if the search shares one, because it is fitted to compare variables.
    """
    goals = Goals.of(direction)
    usable = [row for row in valued(rows) if space.allows(row.configuration)]
    if len(usable) < 4 or space.domain.d_h + space.domain.d_x == 0:
        return None
    if len(usable) > MOST_TRIALS:
        chosen = {row.number for row in [*ranked(usable, goals)[: MOST_TRIALS // 2], *usable[-MOST_TRIALS // 2 :]]}
        usable = [row for row in usable if row.number in chosen]
    optimizer = Optimizer(space, seed=seed, config=replace(config, ard=True), direction=direction)
    for row in usable:
        with contextlib.suppress(DataError):  # a second value at the same configuration of a noise-free study
            optimizer.tell(row.configuration, row.result)
    best = next(row for row in [*best_first, *ranked(usable, goals)] if space.allows(row.configuration))
    try:
        with warnings.catch_warnings(action="ignore"):
            structure = optimizer.structure()
            relevances = structure.relevances
            names = sorted(relevances, key=lambda name: -relevances[name])[:MOST_SLICES]
            slices = [slice_around(optimizer, best.configuration, name) for name in names]
            kept = [one for one in slices if one is not None]
            pair = _first_pair(optimizer, best.configuration, [one.name for one in kept])
            check = check_model(optimizer)
    except CasmopolitanError:
        return None
    values, centre = [row.result for row in usable], best.configuration
    seen = min(values), max(values)
    return ModelSummary(structure, kept, len(usable), objective, best.number, centre, seen, pair, check, optimizer)


def _first_pair(optimizer: Optimizer, best: Configuration, names: Sequence[str]) -> Pair | None:
    """Return the predictions over the two most relevant variables that can vary together."""
    pairs = (pair_around(optimizer, best, two, steps=PAIR_STEPS) for two in combinations(names[:4], 2))
    return next((pair for pair in pairs if pair is not None), None)


def chances_of_success(rows: Sequence[TrialRow], space: Space, config: Config, seed: int, goals: Goals) -> Chances | None:
    """Return the probability that a trial succeeds and meets all limits, as a function; None if nothing is known about it."""
    usable = [row for row in rows if row.state in ("complete", "failed") and space.allows(row.configuration)]
    if space.domain.d_h + space.domain.d_x == 0 or not any(row.state == "complete" for row in usable):
        return None
    usual = replace(config, acquisition="log-ei", failures="learnt", ard=True)
    try:
        with warnings.catch_warnings(action="ignore"):
            return chances_of(told_again(usable[-MOST_TRIALS:], space, usual, seed, goals))
    except CasmopolitanError:
        return None


def describe_structure(structure: Structure) -> str:
    """Return which variables matter and how they act together, in full sentences."""
    matter, total = [abbreviate(name, 20) for name in structure.matter], len(structure.relevances)
    if not structure.known:
        return f"After {structure.trials} trials the model cannot tell yet how many of the {total} variables matter."
    more = len(matter) - MOST_NAMES
    named = ", ".join(matter[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
    if len(matter) == 1:
        return f"1 of {total} variables matters to the objective: {named}."
    single = f"{structure.single:.0%}"
    first = f"All {total} variables matter" if len(matter) == total else f"{len(matter)} of {total} variables matter"
    return f"{first} to the objective: {named}. {MEANING[structure.additivity].format(single=single)}"


def describe_check(check: ModelCheck) -> str:
    """Return how well the model predicts trials that it has not seen, in full sentences."""
    count = len(check.seen)
    advice = {
        "predicts well": "",
        "predicts roughly": " Its best points are worth a try, its numbers are estimates.",
        "predicts poorly": " Do not rely on the predictions of this page: more trials may help, or there is much noise.",
    }[check.verdict]
    return (
        f"The model {check.verdict}: without a trial's value it explains {max(check.share, 0.0):.0%} of the variance, and "
        f"{check.covered} of {count} values lie within two standard deviations of their prediction.{advice}"
    )
