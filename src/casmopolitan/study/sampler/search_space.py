"""The border between Optuna's distributions and a space."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import Trial

from casmopolitan.core.partial import Fixed
from casmopolitan.core.points import Points
from casmopolitan.errors import SpaceError
from casmopolitan.space import Categorical, Constraint, Integer, Ordinal, Real, Scalar, Space, Variable
from casmopolitan.space.constraint import rules_of
from casmopolitan.space.variables import columns
from casmopolitan.study.compat import suggest_parameter

Distributions = dict[str, BaseDistribution]
Params = dict[str, Any]


def distributions_of(space: Space) -> Distributions:
    """A space as Optuna's distributions, ready for `study.ask(distributions_of(space))`.

    SpaceError where Optuna cannot say it: choices that it takes for one (1, 1.0 and True), a step on a log scale.
    """
    problems: list[str] = []
    found: Distributions = {}
    for name, variable in space.variables.items():
        problem = _untold(variable)
        if problem:
            problems.append(f"{type(variable).__name__} {name!r} {problem}")
        else:
            found[name] = _distribution(variable)
    if problems:
        raise SpaceError(problems)
    return found


def suggest(trial: Trial, space: Space) -> Params:
    """Every variable of the space suggested: the trial's configuration as a plain dict."""
    return {name: suggest_parameter(trial, name, distribution) for name, distribution in distributions_of(space).items()}


def _untold(variable: Variable) -> str:
    """Why Optuna cannot say this variable; nothing when it can."""
    if isinstance(variable, Categorical | Ordinal):
        words = variable.choices if isinstance(variable, Categorical) else variable.values
        if len(dict.fromkeys(words)) < len(words):
            return "has choices that Optuna takes for one another, as it does 1, 1.0 and True; use strings"
        return ""
    if variable.log and variable.step is not None and not (isinstance(variable, Integer) and variable.step == 1):
        return "has a step on a log scale, which Optuna has not; drop one of the two, or list the values in an Ordinal"
    return ""


def _distribution(variable: Variable) -> BaseDistribution:
    match variable:
        case Categorical(choices=words) | Ordinal(values=words):
            return CategoricalDistribution(words)
        case Integer(low, _, step, log):
            return IntDistribution(low, variable.at(variable.count - 1), log=log, step=step)
        case Real(low, high, step, log):
            last = high if variable.grid is None else variable.at(variable.grid.count - 1)
            return FloatDistribution(low, last, log=log, step=step if low < last else None)


@dataclass(frozen=True, eq=False)
class Border:
    """A space and the distributions it stands for; `words` are choices that a space has no words for, by their labels."""

    space: Space
    distributions: Distributions
    words: Mapping[str, tuple[Any, ...]]

    @cached_property
    def fingerprint(self) -> str:
        """Equal for equal variables in equal order: the points of a recorded suggestion mean the same."""
        text = json.dumps(self.space.to_dict()["variables"])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def varies(self) -> bool:
        """Whether there is anything to choose."""
        return self.space.domain.d_h + self.space.domain.d_x > 0

    def params(self, point: Points) -> Params:
        """A point in Optuna's words."""
        return _spoken(self.space.decode(point)[0], self.words)

    def point(self, params: Mapping[str, Any]) -> Points | None:
        """The point of a trial's parameters; None when some are missing, do not fit, or are forbidden together."""
        try:
            point = self.space.encode([{name: self._heard(name, params[name]) for name in self.space}])
        except (KeyError, ValueError, TypeError):
            return None
        return point if self.space.domain.allows(point)[0] else None

    def held(self, params: Mapping[str, Any]) -> Fixed:
        """The coordinates that some parameters decide; a parameter that does not fit decides none."""
        domain = self.space.domain
        first = self.space.decode(Points(np.zeros((1, domain.d_h), dtype=np.int64), np.zeros((1, domain.d_x))))[0]
        in_h, in_x = columns(self.space.variables)
        h, x = {}, {}
        for name in params:
            try:
                point = self.space.encode([first | {name: self._heard(name, params[name])}])
            except (ValueError, TypeError):
                continue
            if name in in_h:
                h[in_h.index(name)] = int(point.h[0, in_h.index(name)])
            elif name in in_x:
                x[in_x.index(name)] = float(point.x[0, in_x.index(name)])
        return Fixed(h, x)

    def _heard(self, name: str, value: Any) -> Any:
        return _label(_index(self.words[name], value)) if name in self.words else value

    def agrees(self, point: Points, params: Mapping[str, Any]) -> bool:
        """Whether the parameters that a trial has are those of the point."""
        return all(_same(params.get(name, value), value) for name, value in self.params(point).items())


def border_of(
    space: Space | Mapping[str, BaseDistribution], ordinal: Iterable[str] = (), constraint: Constraint | None = None
) -> Border:
    """The border for a space or for distributions; `ordinal` names categoricals whose choices come in order."""
    if not isinstance(space, Space | Mapping):
        raise SpaceError(f"got {space!r} as a search space; give a Space, or a dict of Optuna's distributions")
    ordinal = frozenset(ordinal)
    distributions = distributions_of(space) if isinstance(space, Space) else dict(space)
    unknown = sorted(ordinal - distributions.keys())
    if unknown:
        raise SpaceError([f"ordinal names {name!r}, which the search space has not" for name in unknown])
    variables: dict[str, Variable] = {}
    words: dict[str, tuple[Any, ...]] = {}
    for name, distribution in distributions.items():
        if isinstance(space, Space) and name not in ordinal:
            variables[name] = space[name]
        else:
            variables[name], strange = variable_of(distribution, ordered=name in ordinal)
            if strange:
                words[name] = strange
    rules = [*(space.constraint if isinstance(space, Space) else ()), *rules_of(constraint)]
    return Border(Space(variables, [_translated(rule, words) for rule in rules]), distributions, words)


def carried(distributions: Mapping[str, BaseDistribution]) -> tuple[Distributions, list[str]]:
    """The distributions that a space can carry, and a sentence for each of the others."""
    kept, refused = {}, []
    for name, distribution in distributions.items():
        problems = variable_of(distribution, ordered=False)[0].problems()
        if problems:
            refused.append(f"{name!r} {problems[0]}")
        else:
            kept[name] = distribution
    return kept, refused


def variable_of(distribution: BaseDistribution, *, ordered: bool) -> tuple[Variable, tuple[Any, ...]]:
    """The variable of a distribution and, where its choices are no words, those choices in the order of their labels."""
    match distribution:
        case FloatDistribution(low=low, high=high, step=step, log=log):
            return Real(low, high, step if low < high else None, log), ()
        case IntDistribution(low=low, high=high, step=step, log=log):
            return Integer(low, high, step if low < high else 1, log), ()
        case CategoricalDistribution(choices=choices):
            kind: Callable[[Any], Variable] = Ordinal if ordered else Categorical
            distinct = _distinct(choices)
            if all(isinstance(c, Scalar) and not (isinstance(c, float) and not math.isfinite(c)) for c in distinct):
                return kind(distinct), ()
            return kind([_label(i) for i in range(len(distinct))]), distinct
    called = type(distribution).__name__
    if isinstance(distribution, Variable):
        raise SpaceError(
            f"{called} is a variable, not a distribution of Optuna's; wrap the variables: Space({{'name': {called}(...)}})"
        )
    raise SpaceError(f"{called} is no distribution of Optuna's that can be searched; use Float, Int or Categorical")


def _distinct(choices: tuple[Any, ...]) -> tuple[Any, ...]:
    """The choices that Optuna tells apart: of equal ones it only ever gives back the first."""
    try:
        return tuple(dict.fromkeys(choices))
    except TypeError:
        return tuple(choice for i, choice in enumerate(choices) if choices.index(choice) == i)


def _same(value: Any, other: Any) -> bool:
    """Whether Optuna takes two choices for one; a nan is equal to a nan, which need not be the same object."""
    return value is other or bool(value == other or (value != value and other != other))


def _index(choices: tuple[Any, ...], value: Any) -> int:
    """Where a choice stands among others; ValueError where it does not."""
    found = next((i for i, choice in enumerate(choices) if _same(value, choice)), None)
    if found is None:
        raise ValueError(f"{value!r} is none of {choices!r}")
    return found


def _label(index: int) -> str:
    return f"choice {index}"


def _spoken(configuration: Mapping[str, Any], words: Mapping[str, tuple[Any, ...]]) -> Params:
    """A configuration with the choices that labels stand for."""
    params = dict(configuration)
    for name, choices in words.items():
        params[name] = choices[int(params[name].removeprefix("choice "))]
    return params


def _translated(rule: Any, words: Mapping[str, tuple[Any, ...]]) -> Any:
    """The rule, called with the user's own choices where labels stand for them."""
    return (lambda configuration: rule(_spoken(configuration, words))) if words and callable(rule) else rule
