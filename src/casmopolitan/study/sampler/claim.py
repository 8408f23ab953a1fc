"""Claims: a worker claims a point by writing it, and keeps it if no other live trial has the same point.

Two workers that read before either has written may choose the same point. Each writes, reads again, and continues only if it
sees no equal claim of a live trial. Of two equal claims, at least the one that was written later sees the other.

Equal states lead to equal choices, so workers that collide must not all choose again at once. A claim is decided
once its trial has parameters or has finished; then all other workers give up the point. Among undecided equal claims, the
lowest trial number keeps its claim and waits until the others, one by one, have chosen again. It would not be enough to let
the lowest number win: it may write after another claim has been decided.
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
"""How often a worker chooses again because another has claimed the same point."""

POLL_INTERVAL = 0.03
"""Seconds between two reads of undecided claims."""

LONGEST_WAIT = 2.0
"""Seconds for which a worker waits for others at a time, unless choosing a point takes longer."""


@dataclass(frozen=True)
class Rival:
    """Another live trial with the same point; `decided` if it is being evaluated, or has been."""

    number: int
    decided: bool


def claim_suggestion(
    history: History,
    number: int,
    trials: list[FrozenTrial],
    read: Callable[[], list[FrozenTrial]],
    choose: Callable[[list[FrozenTrial], int], tuple[Suggestion, bool]],
) -> Suggestion:
    """Choose and write a suggestion for trial `number` until no other live trial has the same point; return it.

    `trials` are all trials at the start, and `read` returns them as they are now. `choose(trials, round)` chooses and writes a
    suggestion; it returns the suggestion, and whether its point must be unique.
    """
    for writing in range(ROUNDS):
        before, started = finished_keys(trials), time.monotonic()
        suggestion, unique = choose(trials, writing)
        if not unique:
            break
        choosing = time.monotonic() - started
        end = started + choosing + max(LONGEST_WAIT, 4 * choosing)
        while (found := rivals(history, trials := read(), before, number, suggestion.point)) and time.monotonic() < end:
            if any(rival.decided or rival.number < number for rival in found):
                break
            time.sleep(POLL_INTERVAL)
        if not found:
            break
        ahead = sum(rival.number < number and not rival.decided for rival in found)
        if ahead > 1:
            time.sleep(min((ahead - 1) * choosing, LONGEST_WAIT))
            trials = read()
    return suggestion


def finished_keys(trials: Sequence[FrozenTrial]) -> frozenset[Hashable]:
    """Return the identities of the finished trials."""
    return frozenset(finished_key(trial) for trial in trials if trial.state.is_finished())


def rivals(history: History, trials: Sequence[FrozenTrial], before: Set[Hashable], number: int, point: Points) -> list[Rival]:
    """Return the other trials with the same point that are live, or have finished and are not among `before`."""
    mine = point.identities()[0]
    numbered = {trial.number: trial for trial in trials}
    live = [asked.number for asked in history.pending(trials, number, 0) if asked.suggestion.point.identities()[0] == mine]
    finished = (trial for trial in trials if trial.state.is_finished() and finished_key(trial) not in before)
    evaluated = [trial.number for trial in finished if mine in _evaluated(history.events(trial))]
    return [Rival(n, bool(numbered[n].params)) for n in live] + [Rival(n, decided=True) for n in evaluated]


def _evaluated(events: Sequence[Event]) -> list[bytes]:
    """Return the identities of the points of a finished trial's events; a cancelled trial has none."""
    if any(isinstance(event, Cancelled) for event in events):
        return []
    asked = [event.suggestion.point for event in events if isinstance(event, Asked)]
    points = asked + [event.point for event in events if isinstance(event, Given)]
    return [identity for point in points for identity in point.identities()]
