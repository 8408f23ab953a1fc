"""Closing the race between workers: a suggestion is claimed by writing it, and stands when nobody else's equals it.

Two workers that read before either has written may choose the same point. Each writes, then reads again: of two equal
claims at least the one whose writing ended later sees the other, and whoever sees one chooses again. (A rule such as
'the lower number wins' would not do: the lower number may write last.)
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence, Set

from optuna.trial import FrozenTrial

from casmopolitan.core.points import Points
from casmopolitan.core.state import Asked, Cancelled, Event, Given
from casmopolitan.study.history import History, finished_key


def finished_keys(trials: Sequence[FrozenTrial]) -> frozenset[Hashable]:
    """The identities of the trials that had finished when these were read."""
    return frozenset(finished_key(trial) for trial in trials if trial.state.is_finished())


def contested(history: History, trials: Sequence[FrozenTrial], before: Set[Hashable], number: int, point: Points) -> bool:
    """Whether a live trial other than `number`, or one finished that was not among `before`, has the same point."""
    mine = point.identities()[0]
    live = [asked.suggestion.point for asked in history.pending(trials, number, 0)]
    for trial in trials:
        if trial.state.is_finished() and finished_key(trial) not in before:
            live += _evaluated(history.events(trial))
    return any(other.identities()[0] == mine for other in live)


def _evaluated(events: Sequence[Event]) -> list[Points]:
    """The points of a finished trial's events; a trial given up has none."""
    if any(isinstance(event, Cancelled) for event in events):
        return []
    asked = [event.suggestion.point for event in events if isinstance(event, Asked)]
    return asked + [event.point for event in events if isinstance(event, Given)]
