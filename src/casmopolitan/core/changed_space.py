"""A state in a space that has changed: every trial keeps its number, and gets the point that it has in the new space."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from casmopolitan.config import Config
from casmopolitan.core.append_only import AppendOnly
from casmopolitan.core.domain import Domain
from casmopolitan.core.points import Points
from casmopolitan.core.region.trust_region import initial
from casmopolitan.core.state import Observation, Region, State, Suggestion, with_observation

Added = frozenset[tuple[int, int]]
"""New choices: a column of h, and a level."""


def moved_state(
    state: State,
    domain: Domain,
    config: Config,
    place: Callable[[int], Points | None],
    failed: Iterable[int],
    centres: Callable[[Points], Points | None],
    unplaced: dict[int, Suggestion],
    added: Added,
) -> State:
    """Return the state in another domain. Regions keep their numbers, the current one starts again with its first lengths.

    `place` gives the new point of a trial, None if it does not fit; `failed` are the failed trials in the order of their end;
    `centres` translates points; `unplaced` holds the pending trials that had no point before.
    """
    regions = tuple(
        Region(designed=region.designed, centre=None if region.centre is None else centres(region.centre))
        for region in state.regions
    )
    asked = {number: (place(number), suggestion) for number, suggestion in sorted({**state.pending, **unplaced}.items())}
    return replace(
        state,
        lengths=initial(domain, config),
        regions=regions,
        observations=AppendOnly(),
        failures=AppendOnly([point for point in map(place, failed) if point is not None]),
        pending={n: _moved(suggestion, point) for n, (point, suggestion) in asked.items() if point is not None},
        outside={n: suggestion for n, (point, suggestion) in asked.items() if point is None},
        added=added,
    )


def with_observations(state: State, observations: Iterable[Observation], domain: Domain, config: Config) -> State:
    """Return the state with observations added to their regions in their order; lengths and counters do not change."""
    for observation in observations:
        state = with_observation(state, observation, domain, config)[0]
    return state


def _moved(suggestion: Suggestion, point: Points) -> Suggestion:
    """Return a pending suggestion at its new point. Its centre and hyperparameters belong to the former space."""
    provenance = replace(suggestion.provenance, centre=None)
    return Suggestion(point, provenance, replace(suggestion.prediction, theta=None, thetas={}))
