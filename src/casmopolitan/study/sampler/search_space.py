"""Translation between Optuna's distributions and parameters, and a space and its points."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import Trial

from casmopolitan.core.partial import Fixed
from casmopolitan.core.points import Points
from casmopolitan.errors import SpaceError
from casmopolitan.space import Categorical, Constraint, Integer, Ordinal, Real, Scalar, Space, Variable
from casmopolitan.space.constraint import rules_of
from casmopolitan.space.variables import columns
from casmopolitan.space.when import When
from casmopolitan.study.compat import suggest_parameter
from casmopolitan.study.sampler.branches import Conditions

Distributions = dict[str, BaseDistribution]
Params = dict[str, Any]


def distributions_of(space: Space) -> Distributions:
    """Return a space as Optuna's distributions, for example for `study.ask(distributions_of(space))`.

    Args:
        space: The space.

    Returns:
        One distribution per variable, by name. Optuna has neither significant digits nor a step on a log scale: there the
        distribution has none, and only a sampler with the space itself suggests values with them. Optuna then suggests all
        variables; `suggest` leaves out those that do not exist for the values of others.

    Raises:
        SpaceError: Optuna has no such distribution: it does not distinguish the choices 1, 1.0 and True. The message lists all
            such variables.
    """
    problems: list[str] = []
    found: Distributions = {}
    for name, variable in space.variables.items():
        problem = _problem(variable)
        if problem:
            problems.append(f"{type(variable).__name__} {name!r} {problem}")
        else:
            found[name] = _distribution(variable)
    if problems:
        raise SpaceError(problems)
    return found


def suggest(trial: Trial, space: Space) -> Params:
    """Suggest a value for every variable of a space that exists given the values of its parents.

    Args:
        trial: A running trial.
        space: The space.

    Returns:
        The trial's configuration as a plain dict.

    Raises:
        SpaceError: Optuna cannot represent a variable of the space; see `distributions_of`.
    """
    distributions, found = distributions_of(space), Params()
    for name in space.activity.order:
        if space.activity.exists(name, found):
            found[name] = suggest_parameter(trial, name, distributions[name])
    return {name: found[name] for name in space if name in found}


def _problem(variable: Variable) -> str:
    """Why Optuna has no distribution for this variable; empty if it has one."""
    if isinstance(variable, Categorical | Ordinal):
        choices = variable.choices if isinstance(variable, Categorical) else variable.values
        if len(dict.fromkeys(choices)) < len(choices):
            return "has choices that Optuna does not distinguish, such as 1, 1.0 and True; use strings"
    return ""


def _distribution(variable: Variable) -> BaseDistribution:
    match variable:
        case Categorical(choices=choices) | Ordinal(values=choices):
            return CategoricalDistribution(choices)
        case Integer(low, _, step, log):
            return IntDistribution(low, variable.at(variable.count - 1), log=log, step=1 if log else step)
        case Real(low, high, step, log):
            last = high if variable.grid is None or low == high else variable.at(variable.grid.count - 1)
            return FloatDistribution(low, last, log=log, step=None if log or low == last else step)


@dataclass(frozen=True, eq=False)
class Translation:
    """A space and the distributions it was made from."""

    space: Space
    distributions: Distributions
    labelled: Mapping[str, tuple[Any, ...]]
    """Choices that a space cannot hold, by parameter; the space has the labels 'choice 0', 'choice 1', ... instead."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """The values that trials had before a parameter was added; `point_of` uses them."""

    @cached_property
    def fingerprint(self) -> str:
        """A hash that is equal for equal variables in equal order, so that recorded points have the same meaning."""
        text = json.dumps(self.space.to_dict()["variables"])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def varies(self) -> bool:
        """Whether any variable has more than one value."""
        return self.space.domain.d_h + self.space.domain.d_x > 0

    def added(self, earlier: Mapping[str, BaseDistribution]) -> frozenset[tuple[int, int]]:
        """Return the choices that the parameters of an earlier trial did not have: column of h, and level."""
        found: set[tuple[int, int]] = set()
        for j, name in enumerate(columns(self.space.variables)[0]):
            before, variable = earlier.get(name), self.space[name]
            if isinstance(before, CategoricalDistribution) and isinstance(variable, Categorical) and name not in self.labelled:
                found |= {(j, level) for level, choice in enumerate(variable.choices) if choice not in before.choices}
        return frozenset(found)

    def params(self, point: Points) -> Params:
        """Return the parameters of a point."""
        return _without_labels(self.space.decode(point)[0], self.labelled)

    def point(self, params: Mapping[str, Any]) -> Points | None:
        """Return the point of a trial's parameters; None if some are missing, do not fit, or are forbidden together."""
        try:
            found = {name: self._labelled_value(name, params[name]) for name in self.space if name in params}
            active = self.space.activity.active(found)
            point = self.space.encode([{name: value for name, value in found.items() if name in active}])
        except (KeyError, ValueError, TypeError):
            return None
        return point if self.space.domain.allows(point)[0] else None

    def fixed(self, params: Mapping[str, Any]) -> Fixed:
        """Return the coordinates that some parameters fix; a parameter that does not fit the space fixes none."""
        in_h, in_x = columns(self.space.variables)
        h, x = {}, {}
        for name in params:
            if name not in self.space:
                continue
            alone = Space({name: replace(self.space[name], when=None)})
            try:
                point = alone.encode([{name: self._labelled_value(name, params[name])}])
            except (ValueError, TypeError):
                continue
            if name in in_h:
                h[in_h.index(name)] = int(point.h[0, 0])
            elif name in in_x:
                x[in_x.index(name)] = float(point.x[0, 0])
        return Fixed(h, x)

    @property
    def conditions(self) -> Conditions:
        """When variables exist, in the user's own choices."""
        found = Conditions()
        for name, variable in self.space.variables.items():
            if isinstance(variable.when, When):
                found[name] = {p: tuple(self._unlabelled(p, v) for v in values) for p, values in variable.when.items()}
        return found

    def _unlabelled(self, name: str, value: Scalar) -> Any:
        return _without_labels({name: value}, {n: c for n, c in self.labelled.items() if n == name})[name]

    def _labelled_value(self, name: str, value: Any) -> Any:
        return _label(_index(self.labelled[name], value)) if name in self.labelled else value

    def agrees(self, point: Points, params: Mapping[str, Any]) -> bool:
        """Return whether the parameters that a trial has are those of the point."""
        return all(_same(params.get(name, value), value) for name, value in self.params(point).items())


def translation_of(
    space: Space | Mapping[str, BaseDistribution],
    ordinal: Iterable[str] = (),
    constraint: Constraint | None = None,
    conditions: Conditions | None = None,
) -> Translation:
    """Return the translation of a space or of distributions; `ordinal` names categoricals with ordered choices.

    `conditions` say when parameters exist.
    """
    if not isinstance(space, Space | Mapping):
        raise SpaceError(f"got {space!r} as a search space; it must be a Space or a dict of Optuna's distributions")
    ordinal = frozenset(ordinal)
    distributions = distributions_of(space) if isinstance(space, Space) else dict(space)
    unknown = sorted(ordinal - distributions.keys())
    if unknown:
        raise SpaceError([f"ordinal names {name!r}, which is not in the search space" for name in unknown])
    variables: dict[str, Variable] = {}
    labelled: dict[str, tuple[Any, ...]] = {}
    for name, distribution in distributions.items():
        if isinstance(space, Space) and name not in ordinal:
            variables[name] = space[name]
        else:
            variables[name], choices = variable_of(distribution, ordered=name in ordinal)
            if choices:
                labelled[name] = choices
            if isinstance(space, Space):
                variables[name] = replace(variables[name], when=space[name].when)
    for name, condition in (conditions or {}).items():
        if name in variables:
            variables[name] = replace(variables[name], when=_when(condition, labelled))
    if isinstance(space, Space) and space.domain.candidates is not None:
        same = not ordinal and constraint is None
        listed = space if same else Space.of(space.candidates or [], variables=variables, constraint=constraint)
        return Translation(listed, distributions, labelled)
    rules = [*(space.constraint if isinstance(space, Space) else ()), *rules_of(constraint)]
    return Translation(Space(variables, [_translated(rule, labelled) for rule in rules]), distributions, labelled)


def with_parents(distributions: Distributions, conditions: Conditions) -> Distributions:
    """Return the distributions without parameters that depend on a parameter which is not among them."""
    kept = dict(distributions)
    while lost := [name for name in kept if any(parent not in kept for parent in conditions.get(name, {}))]:
        kept = {name: distribution for name, distribution in kept.items() if name not in lost}
    return kept


def _when(condition: Mapping[str, tuple[Any, ...]], labelled: Mapping[str, tuple[Any, ...]]) -> When:
    """Return a condition on parameters as one on variables, with the labels of choices that a space cannot hold."""
    return When(
        {
            parent: [_label(_index(labelled[parent], value)) if parent in labelled else value for value in values]
            for parent, values in condition.items()
        }
    )


def representable(distributions: Mapping[str, BaseDistribution | str]) -> tuple[Distributions, dict[str, str]]:
    """Return the distributions that a space can represent, and why not for the others; a text is the reason for a parameter."""
    kept, problems = Distributions(), dict[str, str]()
    for name, one in distributions.items():
        found = [one] if isinstance(one, str) else variable_of(one, ordered=False)[0].problems()
        if isinstance(one, str) or found:
            problems[name] = found[0]
        else:
            kept[name] = one
    return kept, problems


def variable_of(distribution: BaseDistribution, *, ordered: bool) -> tuple[Variable, tuple[Any, ...]]:
    """Return the variable of a distribution and, if a space cannot hold its choices, the choices that labels stand for."""
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
        raise SpaceError(f"{called} is a variable, not a distribution of Optuna; use Space({{'name': {called}(...)}})")
    raise SpaceError(f"{called} is not supported as a distribution; use Float, Int or Categorical")


def _distinct(choices: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the choices that Optuna distinguishes: of equal choices it only returns the first."""
    try:
        return tuple(dict.fromkeys(choices))
    except TypeError:
        return tuple(choice for i, choice in enumerate(choices) if choices.index(choice) == i)


def _same(value: Any, other: Any) -> bool:
    """Whether Optuna treats two choices as equal; a nan is equal to any nan."""
    return value is other or bool(value == other or (value != value and other != other))


def _index(choices: tuple[Any, ...], value: Any) -> int:
    """Return the index of a choice; raise ValueError if it is not among the choices."""
    found = next((i for i, choice in enumerate(choices) if _same(value, choice)), None)
    if found is None:
        raise ValueError(f"{value!r} is not one of {choices!r}")
    return found


def _label(index: int) -> str:
    return f"choice {index}"


def _without_labels(configuration: Mapping[str, Any], labelled: Mapping[str, tuple[Any, ...]]) -> Params:
    """Return a configuration with the choices that its labels stand for."""
    params = dict(configuration)
    for name, choices in labelled.items():
        if name in params:
            params[name] = choices[int(params[name].removeprefix("choice "))]
    return params


def _translated(rule: Any, labelled: Mapping[str, tuple[Any, ...]]) -> Any:
    """Return the rule, called with the user's own choices instead of labels."""
    return (lambda configuration: rule(_without_labels(configuration, labelled))) if labelled and callable(rule) else rule
