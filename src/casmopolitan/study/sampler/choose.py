"""The choice of a trial's point: the algorithm's suggestion, a completion of fixed parameters, or a repetition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from optuna.trial import FrozenTrial

from casmopolitan.blas import one_thread
from casmopolitan.core.algorithm import ask
from casmopolitan.core.extensions import extensions_for
from casmopolitan.core.extensions.partial_trials import complete
from casmopolitan.core.points import Points
from casmopolitan.core.rng import Purpose, stream
from casmopolitan.core.state import Provenance, State, Suggestion
from casmopolitan.errors import ExhaustedError, InfeasibleError
from casmopolitan.study.sampler import records
from casmopolitan.study.sampler.replay import History, known_params
from casmopolitan.study.sampler.search_space import Params, Translation

Log = Callable[[str], None]


@dataclass(frozen=True)
class Choice:
    """A suggestion, and whether its point may be the same as that of another trial."""

    suggestion: Suggestion
    repeatable: bool = False
    exhausted: bool = False
    """Whether a point had to be repeated because every point has been suggested."""


def choose(history: History, trials: Sequence[FrozenTrial], trial: FrozenTrial, seed: int, log: Log) -> Choice:
    """Choose the point of a trial; `log` receives messages for the user.

    If trials have parameters beyond the modelled ones, points may always repeat: the other parameters act like noise.
    """
    state, domain = history.state(trials, trial.number), history.translation.space.domain

    def may_repeat() -> bool:
        return any(_has_other_parameters(other, history.translation) for other in trials)

    fixed = {name: value for name, value in known_params(trial).items() if name in history.translation.space}
    completed = _complete(history, state, trial.number, seed, fixed, may_repeat, log) if fixed else None
    if completed is not None:
        return completed
    try:
        with one_thread():
            return Choice(
                ask(
                    domain,
                    history.config,
                    seed,
                    state,
                    trial.number,
                    extensions_for(history.config, state.outcomes, new_choices=bool(state.added)),
                )
            )
    except (ExhaustedError, InfeasibleError) as error:
        found = _ask_repeatable(history, state, trial.number, seed) if may_repeat() else None
        if found is not None:
            return Choice(found, repeatable=True)
        log(str(error))
        return Choice(_repetition(history, state, trial.number, seed), repeatable=True, exhausted=True)


def _complete(
    history: History, state: State, number: int, seed: int, fixed: Params, may_repeat: Callable[[], bool], log: Log
) -> Choice | None:
    """Return the best completion of the fixed parameters; None if the constraint allows none.

    Fixed parameters are evaluated even if the constraint forbids them. Then the other parameters are suggested as if none were
    fixed.
    """
    translation, domain = history.translation, history.translation.space.domain
    note = f"fixed in advance: {', '.join(fixed)}"
    held = translation.fixed(fixed)
    ways = held.ways(domain)
    if len(ways) == 1 and len(ways[0].h) + len(ways[0].x) == domain.d_h + domain.d_x:
        point = ways[0].whole(Points(np.empty((1, 0), dtype=np.int64), np.empty((1, 0))))
        if domain.allows(point)[0]:
            return Choice(Suggestion(point, Provenance(state.current, "given", note=note)), repeatable=True)
        log(f"{note}: the constraint forbids this point; it is evaluated anyway")
        return None
    for config in dict.fromkeys([history.config, replace(history.config, noisy=True)]):
        try:
            with one_thread():
                found = complete(domain, config, seed, state, number, held)
            return Choice(replace(found, provenance=replace(found.provenance, note=note)), repeatable=config.noisy)
        except InfeasibleError:
            log(f"{note}: no allowed point has these values; they are evaluated anyway")
            return None
        except ExhaustedError:
            if not may_repeat():
                log(f"{note}: every point with these values has been suggested; one is repeated")
    return None


def _ask_repeatable(history: History, state: State, number: int, seed: int) -> Suggestion | None:
    """Return a suggestion that may repeat a point; None if the constraint allows none."""
    config = replace(history.config, noisy=True)
    try:
        with one_thread():
            return ask(
                history.translation.space.domain,
                config,
                seed,
                state,
                number,
                extensions_for(config, state.outcomes, new_choices=bool(state.added)),
            )
    except (ExhaustedError, InfeasibleError):
        return None


def _repetition(history: History, state: State, number: int, seed: int) -> Suggestion:
    """Return a random point of those that were suggested before."""
    known = [o.point for o in state.observations] or [s.point for s in state.pending.values()] or list(state.failures)
    rng = stream(seed, number, Purpose.FALLBACK)
    point = known[int(rng.integers(len(known)))] if known else history.translation.space.domain.sample(1, rng)
    note = "every point has been suggested: a repetition"
    return Suggestion(point, Provenance(state.current, "fallback", note=note))


def _has_other_parameters(trial: FrozenTrial, translation: Translation) -> bool:
    """Whether a trial has a parameter with several values that is not modelled.

    In a trial of a study file such a parameter is a variable that was removed from the file since; `point_of` ignores it.
    """
    if records.NOTE in trial.user_attrs:
        return False
    return any(name not in translation.space and not one.single() for name, one in trial.distributions.items())
