"""The model of a report, fitted to the trials of a study: relevance, and predictions around the best point."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

from casmopolitan.analysis.front import largest_contribution
from casmopolitan.analysis.row import TrialRow, leading, ranked, valued
from casmopolitan.analysis.slices import Slice, slice_around
from casmopolitan.config import Config
from casmopolitan.core.gp.structure import Additivity, Structure
from casmopolitan.errors import CasmopolitanError, DataError
from casmopolitan.formatting import abbreviate
from casmopolitan.goals import VALUE, Goals
from casmopolitan.optimizer import Optimizer
from casmopolitan.space import Space
from casmopolitan.trial import Direction

MOST_TRIALS = 400
"""Maximum number of trials that the model is fitted to: half of them the best, half the latest."""
MOST_SLICES = 60
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
    seen: tuple[float, float]
    """The smallest and the largest value of the objective."""


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
    except CasmopolitanError:
        return None
    seen, kept = [row.result for row in usable], [one for one in slices if one is not None]
    return ModelSummary(structure, kept, len(usable), objective, best.number, (min(seen), max(seen)))


def describe_structure(structure: Structure) -> str:
    """Return which variables matter and how they act together, in full sentences."""
    matter, total = [abbreviate(name, 20) for name in structure.matter], len(structure.relevances)
    if not structure.known:
        return f"After {structure.trials} trials the model cannot tell yet how many of the {total} variables matter."
    named = ", ".join([*matter[:MOST_NAMES], "..."] if len(matter) > MOST_NAMES else matter)
    if len(matter) == 1:
        return f"1 of {total} variables matters to the objective: {named}."
    single = f"{structure.single:.0%}"
    first = f"All {total} variables matter" if len(matter) == total else f"{len(matter)} of {total} variables matter"
    return f"{first} to the objective: {named}. {MEANING[structure.additivity].format(single=single)}"
