"""Claims: a worker claims a point by writing it, and keeps it if no other live trial has the same point, or nearly the same.

Two workers that read before either has written may choose the same point. Each writes, reads again, and continues only if it
sees no equal claim of a live trial. Of two equal claims, at least the one that was written later sees the other. Claims within
the setting `apart` of each other are equal, unless one was known when the other was chosen: then the space left no other point.

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
        known, started = known_keys(history, trials, number), time.monotonic()
        suggestion, unique = choose(trials, writing)
        if not unique:
            break
        choosing = time.monotonic() - started
        end = started + choosing + max(LONGEST_WAIT, 4 * choosing)
        mine = (number, suggestion.point, history.config.apart)
        while (found := rivals(history, trials := read(), known, *mine)) and time.monotonic() < end:
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


def known_keys(history: History, trials: Sequence[FrozenTrial], number: int) -> frozenset[Hashable]:
    """Return the keys of the finished trials, and the points of the pending ones."""
    finished = [finished_key(trial) for trial in trials if trial.state.is_finished()]
    return frozenset([*finished, *(asked.suggestion.point for asked in history.pending(trials, number, 0))])


def rivals(
    history: History, trials: Sequence[FrozenTrial], known: Set[Hashable], number: int, point: Points, apart: float = 0.0
) -> list[Rival]:
    """Return the other live trials with the same point, and all trials within `apart` of it that are not among `known`."""
    numbered = {trial.number: trial for trial in trials}
    others = [(asked.number, asked.suggestion.point) for asked in history.pending(trials, number, 0)]
    live = [n for n, other in others if other == point or (other not in known and other.within(point, apart)[0])]
    finished = (trial for trial in trials if trial.state.is_finished() and finished_key(trial) not in known)
    evaluated = [trial.number for trial in finished if _evaluated(history.events(trial), point, apart)]
    return [Rival(n, bool(numbered[n].params)) for n in live] + [Rival(n, decided=True) for n in evaluated]


def _evaluated(events: Sequence[Event], point: Points, apart: float) -> bool:
    """Return whether a finished trial has evaluated a point within `apart`; a cancelled trial has not."""
    asked = [event.suggestion.point for event in events if isinstance(event, Asked)]
    points = asked + [event.point for event in events if isinstance(event, Given)]
    return not any(isinstance(event, Cancelled) for event in events) and any(p.within(point, apart)[0] for p in points)
