"""The best point of a run, around which predictions are drawn, and the variables that matter most."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from casmopolitan.analysis.front import largest_contribution
from casmopolitan.analysis.pairs import Pair, pair_around
from casmopolitan.analysis.slices import Slice, slice_around
from casmopolitan.errors import DataError
from casmopolitan.formatting import did_you_mean
from casmopolitan.optimizer import Optimizer
from casmopolitan.space.when import When
from casmopolitan.trial import Configuration, Trial

NO_OTHER = "no other value is allowed at the best point, or the model predicts ranks"


def best_point(optimizer: Optimizer) -> Trial:
    """Return the best trial; with several objectives the trial of the front that contributes most to the hypervolume."""
    if optimizer.goals.single:
        return optimizer.best_trial
    front = optimizer.pareto_front
    if not front:
        raise DataError("no trial is on the front yet, so there is no best point")
    return largest_contribution(front, optimizer.goals)


def by_relevance(optimizer: Optimizer, objective: str | None = None) -> list[str]:
    """Return the names of the variables, the most relevant for an objective first."""
    relevances = optimizer.structure(objective).relevances
    return sorted(relevances, key=lambda name: -relevances[name])


def slices(optimizer: Optimizer, names: Sequence[str] | None, most: int, objective: str | None = None) -> list[Slice]:
    """Return the predictions along some variables, by default the most relevant of those that can vary at the best point."""
    around = best_point(optimizer).configuration
    if names is not None:
        check_names(optimizer, names)
    found: list[Slice] = []
    for name in by_relevance(optimizer, objective) if names is None else names:
        one = slice_around(optimizer, around, name, objective=objective) if len(found) < most or names is not None else None
        if one is not None:
            found.append(one)
        elif names is not None:
            raise DataError(f"there are no predictions along {name!r}: {_why_fixed(optimizer, around, name)}")
    if not found:
        raise DataError(f"there are no predictions along any variable: {NO_OTHER}")
    return found


def pair(optimizer: Optimizer, first: str | None, second: str | None, objective: str | None = None) -> Pair:
    """Return the predictions on a grid of two variables, by default the most relevant that can vary at the best point."""
    around = best_point(optimizer).configuration
    given = [name for name in (first, second) if name is not None]
    check_names(optimizer, given)
    ranked = [] if len(given) == 2 else [name for name in by_relevance(optimizer, objective) if name not in given]
    partners = [(first or name, second or name) for name in ranked] if given else list(combinations(ranked, 2))
    for names in partners if first is None or second is None else [(first, second)]:
        found = pair_around(optimizer, around, names, objective=objective)
        if found is not None:
            return found
    fixed = [name for name in given if slice_around(optimizer, around, name, objective=objective) is None]
    reasons = "; ".join(f"{name!r}: {_why_fixed(optimizer, around, name)}" for name in fixed) or NO_OTHER
    raise DataError(f"there are no predictions over {' and '.join(map(repr, given)) or 'two variables'}. {reasons}")


def _why_fixed(optimizer: Optimizer, around: Configuration, name: str) -> str:
    """Return why a variable may have a single value at the best point."""
    variables = optimizer.space.variables
    if name not in around:
        return f"it does not exist at the best point, only if {variables[name].when}"
    children = [child for child, variable in variables.items() if isinstance(variable.when, When) and name in variable.when]
    return f"other variables depend on it: {', '.join(map(repr, children))}" if children else NO_OTHER


def check_names(optimizer: Optimizer, names: Sequence[str]) -> None:
    """Raise DataError if a name is not a variable, or the same one is given twice."""
    problems = [
        f"{name!r} is not a variable of the space.{did_you_mean(name, optimizer.space.names)}"
        for name in names
        if name not in optimizer.space
    ]
    problems += [f"{name!r} is named twice; name different variables" for name in dict.fromkeys(names) if names.count(name) > 1]
    if problems:
        raise DataError("\n  ".join(problems))
