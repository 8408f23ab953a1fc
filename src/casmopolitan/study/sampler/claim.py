"""Closing the race between workers: a suggestion is claimed by writing it, and stands when nobody else's equals it.

Two workers that read before either has written may choose the same point. Each writes, then reads again, and goes on only
when it sees no equal claim of a live trial: of two equal claims at least the one whose writing ended later sees the other.
Equal states make equal choices, so those that collide must not all choose again at once. Of claims that are all undecided
the lowest number's stays, and waits until the others have left; the others choose again one after the other. A claim
is decided when its trial has parameters or has finished: then everybody else leaves. (That the lowest number simply wins
would not do: it may write when another has decided already.)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence, Set
from dataclasses import dataclass

from optuna.trial import FrozenTrial

from casmopolitan.core.points import Points
from casmopolitan.core.state import Asked, Cancelled, Event, Given, Suggestion
from casmopolitan.study.sampler.replay import History, finished_key

ROUNDS = 30
"""How often a worker chooses again because another has claimed the same point at the same time."""

GLANCE = 0.03
"""Seconds between two looks at undecided claims."""

LONGEST_WAIT = 2.0
"""Seconds for which a worker waits for others at a time, unless choosing takes it longer."""


@dataclass(frozen=True)
class Rival:
    """Another live trial with the same point; `decided` when it is evaluated, or has been."""

    number: int
    decided: bool


def claimed(
    history: History,
    number: int,
    trials: list[FrozenTrial],
    read: Callable[[], list[FrozenTrial]],
    choose: Callable[[list[FrozenTrial], int], tuple[Suggestion, bool]],
) -> Suggestion:
    """A suggestion for trial `number` that no other live trial has.

    `trials` are all trials at the start, and `read` returns them as they are now. `choose(trials, round)` chooses and writes a
    suggestion, and returns it and whether it must be the only one.
    """
    for writing in range(ROUNDS):
        before, started = finished_keys(trials), time.monotonic()
        suggestion, alone = choose(trials, writing)
        if not alone:
            break
        choosing = time.monotonic() - started
        end = started + choosing + max(LONGEST_WAIT, 4 * choosing)
        while (found := rivals(history, trials := read(), before, number, suggestion.point)) and time.monotonic() < end:
            if any(rival.decided or rival.number < number for rival in found):
                break
            time.sleep(GLANCE)
        if not found:
            break
        ahead = sum(rival.number < number and not rival.decided for rival in found)
        if ahead > 1:
            time.sleep(min((ahead - 1) * choosing, LONGEST_WAIT))
            trials = read()
    return suggestion


def finished_keys(trials: Sequence[FrozenTrial]) -> frozenset[Hashable]:
    """The identities of the trials that had finished when these were read."""
    return frozenset(finished_key(trial) for trial in trials if trial.state.is_finished())


def rivals(history: History, trials: Sequence[FrozenTrial], before: Set[Hashable], number: int, point: Points) -> list[Rival]:
    """The live trials other than `number`, and those finished that were not among `before`, that have the same point."""
    mine = point.identities()[0]
    numbered = {trial.number: trial for trial in trials}
    live = [asked.number for asked in history.pending(trials, number, 0) if asked.suggestion.point.identities()[0] == mine]
    finished = (trial for trial in trials if trial.state.is_finished() and finished_key(trial) not in before)
    evaluated = [trial.number for trial in finished if mine in _evaluated(history.events(trial))]
    return [Rival(n, bool(numbered[n].params)) for n in live] + [Rival(n, decided=True) for n in evaluated]


def _evaluated(events: Sequence[Event]) -> list[bytes]:
    """The identities of the points of a finished trial's events; a trial given up has none."""
    if any(isinstance(event, Cancelled) for event in events):
        return []
    asked = [event.suggestion.point for event in events if isinstance(event, Asked)]
    points = asked + [event.point for event in events if isinstance(event, Given)]
    return [identity for point in points for identity in point.identities()]
