"""Objectives and limits by name, and the dicts of outcomes that users tell."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from casmopolitan.config import Config
from casmopolitan.core.outcomes import Limit, Outcomes, Values
from casmopolitan.errors import DataError
from casmopolitan.formatting import did_you_mean, join_values, short_repr
from casmopolitan.scalars import is_finite, is_number
from casmopolitan.trial import FAILED, Direction, as_float, measured, sign_of

VALUE = "value"
"""The name of the objective if the user gives none."""

LIMIT = re.compile(r"\s*(<=|>=)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*")

Outcome = float | dict[str, float | None] | None
"""A told value: a number, a dict of outcomes, or None for a failure."""


@dataclass(frozen=True)
class Goals:
    """Objectives with their directions, limits such as {"memory": "<= 512"}, and the reference point of the hypervolume.

    The core orders outcomes by name, objectives first, so that the order in which they are given does not matter.
    """

    objectives: dict[str, Direction]
    limits: dict[str, str]
    reference: dict[str, float] | None = None
    named: bool = True
    """Whether outcomes are told by name. False: one objective without limits, told as a number."""

    @classmethod
    def of(
        cls,
        direction: Direction = "minimize",
        objectives: Mapping[str, Direction] | None = None,
        limits: Mapping[str, str] | None = None,
        reference: Mapping[str, float] | None = None,
    ) -> Goals:
        """Return the goals; DataError lists all problems."""
        if problems := goal_problems(direction, objectives, limits, reference):
            raise DataError("\n  ".join(problems))
        named = objectives is not None or bool(limits)
        given = {VALUE: direction} if objectives is None else dict(objectives)
        point = None if reference is None else {name: float(reference[name]) for name in given}
        return cls(given, dict(limits or {}), point, named)

    @property
    def direction(self) -> Direction:
        """The direction of the only objective; "minimize" if there are several."""
        return next(iter(self.objectives.values())) if len(self.objectives) == 1 else "minimize"

    @property
    def single(self) -> bool:
        """Whether there is one objective."""
        return len(self.objectives) == 1

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all outcomes in the core's order."""
        return (*sorted(self.objectives), *sorted(self.limits.keys() - self.objectives.keys()))

    @cached_property
    def signs(self) -> tuple[float, ...]:
        """The factor of each outcome in the core, which minimises all objectives."""
        return tuple(sign_of(self.objectives[n]) if n in self.objectives else 1.0 for n in self.names)

    @cached_property
    def outcomes(self) -> Outcomes:
        """The goals as the core sees them."""
        limits = []
        for name in sorted(self.limits):
            relation, bound = parsed_limit(self.limits[name])
            at, sign = self.names.index(name), sign_of("minimize" if relation == "<=" else "maximize")
            limits.append(Limit(at, sign * self.signs[at], sign * bound))
        count = len(self.objectives)
        point = self.reference
        signed = None if point is None else tuple(s * point[n] for n, s in zip(self.names[:count], self.signs, strict=False))
        return Outcomes(count, len(self.names) - count, tuple(limits), signed)

    def read(self, told: object) -> Outcome:
        """Return what was told as a number or a dict of outcomes, None for a failure; DataError lists all problems.

        An outcome of None is unknown. A trial without any known outcome has failed.
        """
        if not self.named or (self.outcomes.plain and not isinstance(told, Mapping)):
            return measured(told)
        if told is FAILED or (is_number(told) and not math.isfinite(told)):
            return None
        if not isinstance(told, Mapping):
            shape = ", ".join(f"{name!r}: ..." for name in self.order)
            raise DataError(f"the result must be a dict of outcomes, {{{shape}}}, or FAILED; got {short_repr(told)}")
        if problems := self._problems(told):
            raise DataError("\n  ".join(problems))
        known = {name: None if told[name] is None else as_float(told[name]) for name in self.order}
        if all(value is None for value in known.values()):
            return None
        return known[self.names[0]] if self.outcomes.plain else known

    @property
    def order(self) -> list[str]:
        """The names of all outcomes in the user's order."""
        return [*self.objectives, *(name for name in self.limits if name not in self.objectives)]

    def _problems(self, told: Mapping[Any, Any]) -> list[str]:
        """Return what is wrong with a dict of outcomes."""
        problems = []
        for name in self.order:
            if name not in told:
                problems.append(f"outcome {name!r} is missing; one that was not measured is None (in JSON null)")
            elif told[name] is not None and (wrong := _number_problem(told[name])):
                problems.append(f"outcome {name!r} {wrong}")
        extra = [name for name in told if name not in self.names]
        for name in extra:
            hint = did_you_mean(name, self.order)
            rule = f".{hint}" if hint else f"; the outcomes are {join_values(self.order)}"
            problems.append(f"outcome {name!r} is neither an objective nor has a limit{rule}")
        return problems

    def values_of(self, told: Mapping[str, float | None]) -> list[float | None]:
        """Return the objectives of a dict of outcomes in the core's order, in the user's sign."""
        return [told[name] for name in self.names[: len(self.objectives)]]

    def value_of(self, told: Outcome) -> float | None:
        """Return the value of the only objective; None if it is unknown, or if there are several."""
        if isinstance(told, dict):
            return told[self.names[0]] if self.single else None
        return told

    def excesses_of(self, told: Mapping[str, float | None]) -> dict[str, float]:
        """Return by how much each limit is exceeded, by name; unknown outcomes are left out. At most zero: the limit is met."""
        row = self.outcomes.excesses(self.outcomes.array([self.to_core(dict(told))]))[0]  # type: ignore[list-item]
        return {name: float(excess) for name, excess in zip(sorted(self.limits), row, strict=True) if not math.isnan(excess)}

    def is_feasible(self, told: Outcome) -> bool | None:
        """Return whether a told value meets all limits; see `feasible`."""
        return self.feasible(self.to_core(told))

    def to_core(self, told: Outcome) -> float | Values | None:
        """Return a told value in the core's order and sign."""
        if told is None or isinstance(told, float):
            return None if told is None else self.signs[0] * told
        pairs = zip(self.names, self.signs, strict=True)
        return tuple(None if (value := told[name]) is None else sign * value for name, sign in pairs)

    def from_core(self, value: float | Values | None) -> Outcome:
        """Return the told value that `to_core` was given."""
        if not isinstance(value, tuple):
            return None if value is None else self.signs[0] * value
        known = {n: None if v is None else s * v for n, s, v in zip(self.names, self.signs, value, strict=True)}
        return {name: known[name] for name in self.order}

    def feasible(self, value: float | Values | None) -> bool | None:
        """Return whether all limits are met; None without limits, or if one is unknown and no other is violated."""
        if not self.limits or not isinstance(value, tuple):
            return None
        excesses = self.outcomes.excesses(self.outcomes.array([value]))[0]
        return False if (excesses > 0.0).any() else None if not (excesses <= 0.0).all() else True

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of an optimiser with these goals."""
        return self.to_dict() or {"direction": self.direction}

    def __str__(self) -> str:
        """Return the objectives and limits in one line."""
        if not self.named:
            return self.direction
        return ", ".join([*(f"{way} {name}" for name, way in self.objectives.items()), *map(" ".join, self.limits.items())])

    def to_dict(self) -> dict[str, Any]:
        """Return objectives, limits and reference for a saved optimiser; an empty dict if values are plain numbers."""
        if not self.named:
            return {}
        reference = {} if self.reference is None else {"reference": self.reference}
        return {"objectives": self.objectives, "limits": self.limits, **reference}


ONE_OBJECTIVE = Goals({VALUE: "minimize"}, {}, named=False)
"""One objective to minimise, told as a number."""


def outcome_text(told: Outcome, digits: int = 6) -> str:
    """Return a told value as text."""
    if told is None:
        return "failed"
    if isinstance(told, float):
        return f"{told:.{digits}g}"
    return ", ".join(f"{name} {'unknown' if value is None else f'{value:.{digits}g}'}" for name, value in told.items())


def parsed_limit(text: str) -> tuple[str, float]:
    """Return the relation and the number of a limit such as "<= 512"."""
    match = LIMIT.fullmatch(text)
    if match is None or not math.isfinite(float(match[2])):
        raise DataError(f"{text!r} is not a limit")
    return match[1], float(match[2])


def goal_problems(direction: object, objectives: object, limits: object, reference: object) -> list[str]:
    """Return everything wrong with the goals of an optimiser."""
    problems = []
    if direction not in ("minimize", "maximize"):
        problems.append(f"direction is {direction!r}; it must be 'minimize' or 'maximize'")
    if objectives is not None:
        if direction == "maximize":
            problems.append("give either direction or objectives: each objective has its own direction")
        problems += _objective_problems(objectives)
    if limits is not None:
        problems += _limit_problems(limits)
    if reference is not None and not problems:
        problems += _reference_problems(reference, [VALUE] if objectives is None else list(objectives))  # type: ignore[call-overload]
    return problems


def acquisition_problems(config: Config, outcomes: Outcomes) -> list[str]:
    """Return a problem if the acquisition function supports only one objective without limits."""
    if outcomes.plain or config.acquisition not in ("ucb", "thompson"):
        return []
    return [f"acquisition is {config.acquisition!r}, which supports neither limits nor several objectives; choose 'log-ei'"]


def _objective_problems(objectives: object) -> list[str]:
    example = "{'error': 'minimize', 'speed': 'maximize'}"
    if not isinstance(objectives, Mapping) or not objectives:
        return [f"objectives is {short_repr(objectives)}; give a dict of names and directions, e.g. {example}"]
    problems = [f"objective {name!r}: its name must be a non-empty string" for name in objectives if not _is_name(name)]
    for name, way in objectives.items():
        if way not in ("minimize", "maximize"):
            hint = did_you_mean(way, ["minimize", "maximize"])
            problems.append(f"objective {name!r} is {way!r}; it must be 'minimize' or 'maximize'.{hint}")
    return problems


def _limit_problems(limits: object) -> list[str]:
    if not isinstance(limits, Mapping):
        return [f"limits is {short_repr(limits)}; give a dict of names and limits, e.g. {{'memory': '<= 512'}}"]
    problems = [f"limit {name!r}: its name must be a non-empty string" for name in limits if not _is_name(name)]
    for name, text in limits.items():
        match = LIMIT.fullmatch(text) if isinstance(text, str) else None
        if match is None or not math.isfinite(float(match[2])):
            problems.append(f"limit {name!r} is {short_repr(text)}; write '<=' or '>=' and a number, e.g. '<= 512'")
    return problems


def _reference_problems(reference: object, names: list[str]) -> list[str]:
    if not isinstance(reference, Mapping) or set(reference) != set(names):
        return [f"reference is {short_repr(reference)}; give a dict with one number per objective: {join_values(names)}"]
    return [f"reference[{n!r}] is {v!r}; it must be a finite number" for n, v in reference.items() if not is_finite(v)]


def _is_name(name: object) -> bool:
    return isinstance(name, str) and bool(name)


def _number_problem(value: object) -> str | None:
    """Return what is wrong with the value of one outcome; None if it is a finite number."""
    if value is FAILED:
        return "is FAILED; an outcome that was not measured is None, and FAILED stands for the whole trial"
    try:
        number = as_float(value)
    except Exception:
        return f"is {short_repr(value)}; it must be a number that a float can hold"
    if math.isfinite(number):
        return None
    return f"is {number!r}; an outcome that was not measured is None (in JSON null)"
