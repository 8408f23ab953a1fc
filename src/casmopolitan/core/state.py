"""The state of a run as a fold over its event log: `state = fold(tell, events)`. Equal logs give equal states.

An ask is recorded together with its suggestion; completions count in the order in which they arrive.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.append_only import AppendOnly
from casmopolitan.core.domain import Domain
from casmopolitan.core.outcomes import PLAIN, Outcomes, Values
from casmopolitan.core.past import Past
from casmopolitan.core.points import Array, Points, no_points, stack
from casmopolitan.core.region.trust_region import TrustRegion, exhausted, initial, updated

Source = Literal["initial", "acquisition", "global", "restart", "fallback", "given"]
"""Where a point comes from: the initial design, the acquisition function within the region or over the whole space, Eq. (3),
a random fallback, or the user."""


Value = float | Values | None
"""The value of a trial: a number, the values of all outcomes if it has several, or None if it failed."""


@dataclass(frozen=True, eq=False)
class Provenance:
    """Where a suggested point comes from."""

    region: int
    source: Source
    centre: Points | None = None
    """The centre of the trust region; None if the point is not tied to one."""
    radius: int | None = None
    """L^h, the Hamming radius of the trust region."""
    length: float | None = None
    """L^x, the side of the trust region's box."""
    note: str = ""
    """A remark if something did not go as usual."""


@dataclass(frozen=True, eq=False)
class Prediction:
    """The predictions of the models at a suggested point, in the core's sign (minimisation)."""

    acquisition: float | None = None
    mean: float | None = None
    deviation: float | None = None
    success: float | None = None
    """The probability that the trial does not fail; None for random points, or if no trial has failed yet."""
    theta: tuple[float, ...] | None = None
    """The hyperparameters of the model: the next fit starts from them."""
    structure: str | None = None
    """How many variables matter according to the model, and how they act together; None if the kernel does not tell."""
    feasible: float | None = None
    """The probability that all limits are met; None if there are none."""
    limits: dict[int, float] | None = None
    """The probability that each limit is met, by its number, for those with a model; None if there are none."""
    means: tuple[float, ...] | None = None
    """The mean of each objective; None if there is only one."""
    deviations: tuple[float, ...] | None = None
    """The deviation of each objective; None if there is only one."""
    thetas: dict[int, tuple[float, ...]] = field(default_factory=dict)
    """Hyperparameters of the models of the other objectives and of limits, by number: objectives first, then limits."""


@dataclass(frozen=True, eq=False)
class Suggestion:
    """One point to evaluate, its provenance, and the prediction there."""

    point: Points
    provenance: Provenance
    prediction: Prediction = Prediction()

    def explanation(self) -> dict[str, Any]:
        """Return every field of the provenance and of the prediction, by name."""
        return vars(self.provenance) | vars(self.prediction)


@dataclass(frozen=True, eq=False)
class Asked:
    """Trial `number` was suggested."""

    number: int
    suggestion: Suggestion


@dataclass(frozen=True, eq=False)
class Told:
    """Trial `number` ended with a value; None is a failure."""

    number: int
    value: Value


@dataclass(frozen=True, eq=False)
class Given:
    """A point evaluated outside the loop, with its value; None is a failure."""

    number: int
    point: Points
    value: Value


@dataclass(frozen=True, eq=False)
class Cancelled:
    """Trial `number` will not be evaluated: it does not count, and its point may be suggested again."""

    number: int


Event = Asked | Told | Given | Cancelled


@dataclass(frozen=True, eq=False)
class Observation:
    """A completed trial, in the region that suggested it."""

    number: int
    point: Points
    values: Values
    region: int
    source: Source
    centre: Points | None = None
    """The centre of the search that suggested it."""

    @property
    def value(self) -> float:
        """The value of the first objective; nan if it is unknown, which happens only if a trial has several outcomes."""
        return math.nan if self.values[0] is None else self.values[0]


@dataclass(frozen=True, eq=False)
class Region:
    """The history of one region, current or finished."""

    designed: int = 0
    """Points of its initial design that were suggested or given, and not cancelled."""
    centre: Points | None = None
    """The centre that Eq. (3) chose; None in the first region."""
    theta: tuple[float, ...] | None = None
    """Hyperparameters recorded with the highest-numbered ask so far: the next fit starts from them."""
    theta_number: int = -1
    thetas: dict[int, tuple[float, ...]] = field(default_factory=dict)
    """The same for the models of the other objectives and of limits."""
    best: Observation | None = None
    """The best observation; with several objectives, the last one that increased the hypervolume."""


@dataclass(frozen=True, eq=False)
class State:
    """Everything `ask` needs to know."""

    lengths: TrustRegion
    """The current region's lengths and counters."""
    regions: tuple[Region, ...] = (Region(),)
    """All regions; the last is the current one."""
    observations: AppendOnly[Observation] = field(default_factory=AppendOnly)
    """In the order of completion."""
    failures: AppendOnly[Points] = field(default_factory=AppendOnly)
    pending: dict[int, Suggestion] = field(default_factory=dict)
    outside: dict[int, Suggestion] = field(default_factory=dict)
    """Pending trials that do not fit the space since it has changed."""
    added: frozenset[tuple[int, int]] = frozenset()
    """Choices that were added to the space: column of h, and level."""
    outcomes: Outcomes = PLAIN
    past: Past | None = None
    """Trials of earlier studies of related tasks; None if there are none."""

    @property
    def current(self) -> int:
        """The number of the current region."""
        return len(self.regions) - 1

    def seen(self, domain: Domain, region: int | None = None) -> tuple[Points, Array]:
        """Return the points of one region, or of all, at which the first objective is known, and its values."""
        kept = [o for o in self.observations if (region is None or o.region == region) and o.values[0] is not None]
        if not kept:
            return no_points(domain.d_h, domain.d_x), np.empty(0)
        return stack([o.point for o in kept]), np.array([o.value for o in kept])

    def measured(self, domain: Domain, region: int | None = None) -> tuple[Points, Array]:
        """Return the observed points of one region, or of all, and the values of all outcomes; nan where one is unknown."""
        kept = [o for o in self.observations if region is None or o.region == region]
        points = stack([no_points(domain.d_h, domain.d_x), *(o.point for o in kept)])
        return points, self.outcomes.array(o.values for o in kept)

    def sample(self, size: int, region: int | None = None) -> Array:
        """Return the values that scale the targets: the first of the design or given by users, otherwise the first of all."""
        return np.array([o.value for o in self._sampled(size, region) if o.values[0] is not None])

    def measured_sample(self, size: int, region: int | None = None) -> Array:
        """Return the values of all outcomes of the trials that `sample` takes; nan where one is unknown."""
        return self.outcomes.array(o.values for o in self._sampled(size, region))

    def _sampled(self, size: int, region: int | None) -> list[Observation]:
        kept = [o for o in self.observations if region is None or o.region == region]
        drawn = [o for o in kept if o.source in ("initial", "restart", "given")]
        return (drawn if len(drawn) > 1 else kept)[:size]


def design_size(config: Config, region: int) -> int:
    """Return #init of line 6; a later region also has its centre."""
    if region == 0:
        return config.n_initial
    return 1 + (config.n_initial if config.restart_initial is None else config.restart_initial)


def opening(domain: Domain, config: Config, outcomes: Outcomes = PLAIN, past: Past | None = None) -> State:
    """Return the state before the first event; `past` are the trials of earlier studies, if any."""
    return State(initial(domain, config), outcomes=outcomes, past=past)


def tell(state: State, event: Event, domain: Domain, config: Config) -> State:
    """Return the state after one more event."""
    match event:
        case Asked(number, suggestion):
            return _asked(state, number, suggestion, domain, config)
        case Told(number) | Cancelled(number) if number in state.outside:
            return replace(state, outside={k: s for k, s in state.outside.items() if k != number})
        case Cancelled(number):
            suggestion = state.pending[number]
            pending = {k: s for k, s in state.pending.items() if k != number}
            state = replace(state, pending=pending)
            if suggestion.provenance.source in ("initial", "restart"):
                region = state.regions[suggestion.provenance.region]
                region = replace(region, designed=region.designed - 1)
                if (
                    suggestion.provenance.source == "restart" and not region.designed
                ):  # no trial was made around it: choose another
                    region = replace(region, centre=None)
                state = _with_region(state, suggestion.provenance.region, region)
            return state
        case Given(number, point, value):
            return _completed(state, Suggestion(point, Provenance(state.current, "given")), number, value, domain, config)
        case Told(number, value):
            suggestion = state.pending[number]
            pending = {k: s for k, s in state.pending.items() if k != number}
            return _completed(replace(state, pending=pending), suggestion, number, value, domain, config)


def _with_region(state: State, number: int, region: Region) -> State:
    regions = (*state.regions[:number], region, *state.regions[number + 1 :])
    return replace(state, regions=regions)


def _opened(state: State, number: int, domain: Domain, config: Config) -> State:
    """Return the state with region `number` as the current one; the regions before it are finished."""
    fresh = (Region(),) * (number + 1 - len(state.regions))
    return replace(state, regions=state.regions + fresh, lengths=initial(domain, config)) if fresh else state


def _asked(state: State, number: int, suggestion: Suggestion, domain: Domain, config: Config) -> State:
    state = _opened(state, suggestion.provenance.region, domain, config)
    region = state.regions[suggestion.provenance.region]
    if suggestion.provenance.source in ("initial", "restart"):
        region = replace(region, designed=region.designed + 1)
    if suggestion.provenance.source == "restart":
        region = replace(region, centre=suggestion.point)
    if suggestion.prediction.theta is not None and number > region.theta_number:
        region = replace(
            region, theta=suggestion.prediction.theta, theta_number=number, thetas=region.thetas | suggestion.prediction.thetas
        )
    state = _with_region(state, suggestion.provenance.region, region)
    return replace(state, pending={**state.pending, number: suggestion})


def _asked_at_size(asked: Provenance, lengths: TrustRegion) -> bool:
    """Return whether a trial was asked for in a region of these lengths; unrecorded lengths match any."""
    return asked.radius in (None, lengths.radius) and asked.length in (None, lengths.length)


def _completed(state: State, suggestion: Suggestion, number: int, value: Value, domain: Domain, config: Config) -> State:
    """Lines 12 and 13: add the observation to its region; count it if the acquisition function chose it in the current one.

    A trial counts only if the region has the size that it had when the trial was asked for. Otherwise one large batch could
    shrink a region to its end before anything was asked for in the smaller region.
    """
    where, source = suggestion.provenance.region, suggestion.provenance.source
    counts = source == "acquisition" and where == state.current and _asked_at_size(suggestion.provenance, state.lengths)
    values = value if isinstance(value, tuple) else (value,)
    improved = False
    if all(v is None for v in values):
        state = replace(state, failures=state.failures.plus(suggestion.point))
    else:
        seen = Observation(number, suggestion.point, values, where, source, suggestion.provenance.centre)
        state, improved = with_observation(state, seen, domain, config)
        if source == "given":
            region = state.regions[where]
            state = _with_region(state, where, replace(region, designed=region.designed + 1))
    if not counts:
        return state
    lengths, change = updated(state.lengths, improved, config, d_h=domain.d_h)
    if change == "shrank" and exhausted(lengths, config):
        return _opened(state, state.current + 1, domain, config)
    return replace(state, lengths=lengths)


def with_observation(state: State, seen: Observation, domain: Domain, config: Config) -> tuple[State, bool]:
    """Return the state with one more observation of its region, and whether it is a success."""
    region = state.regions[seen.region]
    better, improved = _comparison(state, seen, region.best, domain, config)
    state = _with_region(state, seen.region, replace(region, best=seen if better else region.best))
    return replace(state, observations=state.observations.plus(seen)), improved


def _comparison(state: State, new: Observation, best: Observation | None, domain: Domain, config: Config) -> tuple[bool, bool]:
    """Return whether an observation is the best of its region, and whether it is a success."""
    margin = config.success_margin
    if state.outcomes.plain:
        if best is None:
            return True, True
        return new.value < best.value, new.value < best.value - margin * abs(best.value)
    _, before = state.measured(domain, new.region)
    sample = state.measured_sample(design_size(config, 0))
    better = state.outcomes.improves(new.values, before, sample)
    return better or best is None, better and state.outcomes.improves(new.values, before, sample, margin)
