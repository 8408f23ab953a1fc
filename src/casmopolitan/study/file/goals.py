"""The objectives and limits of a study file, and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from casmopolitan.config import Config
from casmopolitan.errors import DataError
from casmopolitan.goals import Goals, acquisition_problems, goal_problems
from casmopolitan.spreadsheet.table import NOT_OUTCOMES
from casmopolitan.study.file.schema import KnownSpec

UNKNOWN = "unknown"
"""The value of a known outcome that was not measured: TOML has no null."""


def read_goals(parts: Mapping[str, Any], raw: Mapping[str, Any], config: Config | None, problems: list[str]) -> Goals | None:
    """Return the objectives and limits; None, with all problems listed, if they are not valid."""
    if not {"direction", "objectives", "limits"} <= parts.keys():
        return None
    objectives, limits = parts["objectives"], parts["limits"]
    found = [
        f"{'limits' if text.startswith('limit') else 'objectives'}: {text}"
        for text in goal_problems("minimize", objectives, limits, None)
    ]
    if objectives is not None and "direction" in raw:
        found.append("direction: each entry of [objectives] has its own direction; remove this one")
    names = dict.fromkeys([*(objectives or ()), *limits])
    found += [f"outcome {name!r}: tables have a column with this name; rename it" for name in names if name in NOT_OUTCOMES]
    found += [
        f"outcome {name!r}: a name must not contain '=' or ':', which separate it from its value"
        for name in names
        if re.search("[=:]", name)
    ]
    problems += found
    if found:
        return None
    goals = Goals.of(parts["direction"] if objectives is None else "minimize", objectives, limits)
    if config is not None:
        problems += [f"settings: {text}" for text in acquisition_problems(config, goals.outcomes)]
    return goals


def outcome_problems(parts: Mapping[str, Any], goals: Goals) -> Iterator[str]:
    """Yield where a file does not fit its objectives and limits."""
    objective, known = parts.get("objective"), parts.get("known", [])
    if goals.named and objective is not None and objective.key != "value":
        yield "objective.key: has no effect if outcomes have names; remove it"
    if parts.get("pruning") is not None and not goals.single:
        yield "pruning: Optuna ends trials early only if there is one objective; remove it, or make the others limits"
    if parts.get("pruning") is not None and objective is None:
        yield "pruning: needs an [objective] that reports while it runs"
    for i, entry in enumerate(known if isinstance(known, list) else []):
        try:
            if (entry.value is None) == (entry.outcomes is None):
                raise DataError("give either value or outcomes")
            goals.read(known_result(entry))
        except DataError as error:
            yield from (f"known.{i}: {text.strip()}" for text in str(error).splitlines())


def known_result(entry: KnownSpec) -> Any:
    """Return the value or the outcomes of a known result."""
    if entry.outcomes is None:
        return entry.value
    return {name: None if value == UNKNOWN else value for name, value in entry.outcomes.items()}
