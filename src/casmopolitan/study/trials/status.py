"""From Optuna's trials to ours: the state of a trial, its row, whether it costs budget, whether it repeats another."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from casmopolitan.analysis.row import ENDED, State, TrialRow, costs_budget, identity
from casmopolitan.errors import DataError
from casmopolitan.goals import ONE_OBJECTIVE, Goals
from casmopolitan.space import Space
from casmopolitan.study.compat import storage_of, trial_id
from casmopolitan.study.sampler import records
from casmopolitan.study.sampler.explain import explain_trials
from casmopolitan.study.sampler.outcomes import is_partial, signs_of
from casmopolitan.study.sampler.replay import known_params
from casmopolitan.study.sampler.settings import writer_of
from casmopolitan.study.storage.corrections import CORRECTION
from casmopolitan.study.trials.outcomes import told_of


def state_of(trial: FrozenTrial) -> State:
    """Return the state of a trial."""
    if trial.state == TrialState.RUNNING:
        return "asked" if note_of(trial).get("by") == "hand" else "running"
    if trial.state == TrialState.WAITING:
        return "waiting"
    if trial.state == TrialState.PRUNED:
        return "pruned"
    if trial.state == TrialState.FAIL:
        failed = trial.system_attrs.get(records.FAILED) is True
        return "complete" if failed and is_partial(trial) else "failed" if failed else "cancelled"
    return "complete" if trial.values and all(map(math.isfinite, trial.values)) else "failed"


def note_of(trial: FrozenTrial) -> dict[str, Any]:
    """Return the record of a trial's run; an empty dict if it is missing or damaged."""
    note = trial.user_attrs.get(records.NOTE)
    return note if isinstance(note, dict) else {}


def comment_of(trial: FrozenTrial) -> str:
    """Return what was written beside the result of a trial; empty if nothing was."""
    comment = trial.user_attrs.get(records.COMMENT)
    return comment if isinstance(comment, str) else ""


def corrections_of(trial: FrozenTrial) -> tuple[dict[str, Any], ...]:
    """Return the corrections of a trial, oldest first: the values before and after, and when."""
    found = [(key.removeprefix(CORRECTION), record) for key, record in trial.user_attrs.items() if key.startswith(CORRECTION)]
    return tuple(record for number, record in sorted(found, key=lambda one: int(one[0])) if isinstance(record, dict))


def is_known(trial: FrozenTrial) -> bool:
    """Return whether a trial is a result from elsewhere."""
    return note_of(trial).get("by") == "known"


def counts(trial: FrozenTrial) -> bool:
    """Return whether a trial counts against the budget."""
    return costs_budget(state_of(trial), is_known(trial))


def count(trials: Iterable[FrozenTrial]) -> int:
    """Return how many trials count against the budget."""
    return sum(map(counts, trials))


def rows_of(
    study: Study, trials: Sequence[FrozenTrial], space: Space, goals: Goals = ONE_OBJECTIVE, *, changed: bool = False
) -> list[TrialRow]:
    """Return a snapshot of a study's trials as rows; `changed` if the study has had another space."""
    explained = explain_trials(trials, signs_of(study), writer_of(study))
    return [_row(trial, why, space, goals, changed) for trial, why in zip(trials, explained, strict=True)]


def _row(trial: FrozenTrial, explained: dict[str, Any], space: Space, goals: Goals, changed: bool) -> TrialRow:
    note, state = note_of(trial), state_of(trial)
    told = told_of(trial, goals) if state == "complete" else None
    outcomes = told if isinstance(told, dict) else None
    params = known_params(trial)
    seconds = note.get("seconds")
    if not isinstance(seconds, int | float):
        seconds = trial.duration.total_seconds() if trial.duration is not None and note.get("by") == "run" else None
    return TrialRow(
        trial.number,
        state,
        goals.value_of(told),
        {name: params[name] for name in (*space, *(params if changed else ())) if name in params},
        _explanation(explained, goals),
        known=is_known(trial),
        outside=changed and state in (*ENDED, "asked") and not space.allows(params),
        corrections=corrections_of(trial),
        seconds=seconds,
        error=_text(note, "error"),
        ending=_text(note, "ending"),
        tail=_text(note, "tail") or "",
        attempts=note["attempts"] if isinstance(note.get("attempts"), int) else 1,
        began=trial.datetime_start.timestamp() if trial.datetime_start is not None else None,
        worker=_text(note, "worker"),
        comment=comment_of(trial),
        outcomes=outcomes,
        feasible=goals.is_feasible(outcomes),
    )


def _explanation(explained: dict[str, Any], goals: Goals) -> dict[str, Any]:
    """Return why a trial was suggested, with the predictions of several objectives by name."""
    found = {k: v for k, v in explained.items() if k not in ("number", "state", "value", "values", "params") and v is not None}
    for name in ("means", "deviations"):
        if isinstance(found.get(name), list):
            found[name] = dict(zip(goals.names, found[name], strict=False))
    return found


def _text(note: dict[str, Any], name: str) -> str | None:
    return note[name] if isinstance(note.get(name), str) else None


def repeats(trial: FrozenTrial, trials: Sequence[FrozenTrial], *, single_point: bool, noisy: bool) -> bool:
    """Return whether no new point was found for a trial. Optuna does not ask the sampler about a space of a single point."""
    if (records.read(trial.system_attrs) or {}).get("exhausted") is True:
        return True
    if not single_point or noisy:
        return False
    others = [other for other in trials if other.number != trial.number]
    pending = any(state_of(other) in ("running", "asked") and other.number < trial.number for other in others)
    states = [state_of(other) for other in others]
    return pending or "complete" in states or "pruned" in states or states.count("failed") > 1


def is_redundant(trial: FrozenTrial, trials: Sequence[FrozenTrial], *, noisy: bool) -> bool:
    """Return whether the point of a queued trial has a value or was ended early, or an earlier trial is evaluating it."""
    if "fixed_params" not in trial.system_attrs or noisy:
        return False
    mine = identity(known_params(trial))
    return any(
        identity(known_params(other)) == mine
        for other in trials
        if state_of(other) in ("complete", "pruned")
        or (state_of(other) in ("running", "asked") and other.number < trial.number)
        if other.number != trial.number
    )


def cancel_trial(study: Study, trial: FrozenTrial) -> None:
    """Cancel a trial: it does not count, and its point may be suggested again."""
    if trial.state.is_finished():
        raise DataError(f"trial {trial.number} has already ended")
    storage_of(study).set_trial_state_values(trial_id(trial), TrialState.FAIL)
