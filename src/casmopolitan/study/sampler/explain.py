"""Why each trial was suggested, and whether the search space is exhausted, read from the study."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from optuna.study import Study
from optuna.trial import FrozenTrial

from casmopolitan.study.sampler import records
from casmopolitan.study.sampler.outcomes import signs_of
from casmopolitan.study.sampler.replay import written_here
from casmopolitan.study.sampler.settings import writer_of
from casmopolitan.trial import EXPLANATION_COLUMNS, EXPLANATION_FIELDS, OUTCOME_FIELDS, reason_of

COLUMNS = ("number", "state", "value", *EXPLANATION_FIELDS, "reason", "params")
"""The keys of a row of `explain`."""


def explain(study: Study) -> list[dict[str, Any]]:
    """Explain why each trial of a study was suggested.

    Args:
        study: A study, whether or not it is running.

    Returns:
        One row per trial, by number. A field that the sampler did not decide is None. The fields are:

        - `number`, `state`, `value`, `params`: of the trial.
        - `source`: 'initial' (the design), 'acquisition' (the best expected improvement in the trust region), 'global' (the
          best over the whole space; in mixed spaces at a rarely tried level), 'restart' (the centre of a new region),
          'fallback' (random; `note` says why), or 'given' (not from this sampler).
        - `region`, `radius`, `length`: the number of the trust region, its Hamming radius and its side length.
        - `centre`: the number of the trial at the centre of the region; None if this sampler did not suggest it.
        - `acquisition`: the maximum of the acquisition function; by default log EI, plus log P(success) once trials fail.
        - `mean`, `deviation`: the prediction of the model, `mean` with the sign of the study's values.
        - `success`: the predicted probability that the trial does not fail; None until one has failed.
        - `structure`: how many variables matter according to the model, and how they act together.
        - `note`: a remark of the algorithm, or empty.
        - `reason`: why the point was suggested, in one sentence.
        - `feasible`, only in studies with constraints: the predicted probability that all of them are met.
        - `limits`, only in studies with constraints: the predicted probability that each of them is met, by name.
        - `values`, only with several objectives, where `value` is None: the values in the order of the directions.
        - `means`, `deviations`, only with two or three objectives: the prediction of each; `mean` and `deviation` are None.
    """
    return explain_trials(study.get_trials(deepcopy=False), signs_of(study), writer_of(study))


def explain_trials(trials: Sequence[FrozenTrial], signs: tuple[float, ...], writer: str | None) -> list[dict[str, Any]]:
    """Return the rows of `explain` for trials that were read before; `signs` and `writer` are those of their study."""
    numbers: dict[str, int] = {}
    rows: list[dict[str, Any]] = []
    predicted: dict[int, dict[str, Any]] = {}
    for trial in trials:
        record = (records.read(trial.system_attrs) or {}) if written_here(trial, writer) else {}
        decided = record.get("suggestion")
        decided = decided if isinstance(decided, dict) else {}
        rows.append(_row(trial, decided, signs, numbers.get(_place(record.get("space"), decided.get("centre")))))
        predicted[trial.number] = _outcome_fields(decided, signs)
        predicted[trial.number] |= {"limits": record["limits"]} if "limits" in record else {}
        if decided:
            numbers.setdefault(_place(record.get("space"), decided), trial.number)
    further = [name for name in OUTCOME_FIELDS if any(name in one for one in predicted.values())]
    return [row | {name: predicted[row["number"]].get(name) for name in further} for row in rows]


def exhausted(study: Study) -> bool:
    """Return whether every point of a study's search space has been suggested.

    Args:
        study: A study with a finite search space.

    Returns:
        True if the sampler found no new point for some trial and had to repeat one.
    """
    writer = writer_of(study)
    return any(_repeated(trial) for trial in study.get_trials(deepcopy=False) if written_here(trial, writer))


def stop_when_exhausted(study: Study, trial: FrozenTrial) -> None:
    """Stop `study.optimize` after the first trial that repeats a point; pass this function in its `callbacks`.

    Optuna's samplers never stop a study themselves. Without this callback points are repeated at random, with a warning.

    Args:
        study: The study that is being optimised.
        trial: The trial that has just finished.
    """
    if _repeated(trial):
        study.stop()


def _repeated(trial: FrozenTrial) -> bool:
    return (records.read(trial.system_attrs) or {}).get("exhausted") is True


def _place(space: object, point: object) -> str:
    """Return a recorded point as a key: equal for equal coordinates in one space."""
    coordinates = (point.get("h"), point.get("x")) if isinstance(point, dict) else None
    return json.dumps([space, coordinates], default=str)


def _outcome_fields(decided: dict[str, Any], signs: tuple[float, ...]) -> dict[str, Any]:
    """Return the fields of a suggestion that only studies with constraints or several objectives have."""
    found = {name: decided[name] for name in OUTCOME_FIELDS if name in decided and name != "limits"}
    means = found.get("means")
    if isinstance(means, list) and all(isinstance(mean, int | float) for mean in means):
        found["means"] = [sign * mean for sign, mean in zip(signs, means, strict=False)]
    return found


def _row(trial: FrozenTrial, decided: dict[str, Any], signs: tuple[float, ...], centre: int | None) -> dict[str, Any]:
    mean, single = decided.get("mean"), len(signs) == 1
    row = dict.fromkeys(COLUMNS)
    row |= {name: decided.get(name) for name in EXPLANATION_COLUMNS}
    row |= {"number": trial.number, "state": trial.state.name.lower(), "params": dict(trial.params)}
    row |= {"value": trial.value} if single else {"value": None, "values": trial.values}
    row |= {"source": decided.get("source", "given"), "note": decided.get("note", ""), "centre": centre}
    row["mean"] = signs[0] * mean if isinstance(mean, int | float) else None
    row["reason"] = reason_of({**row, "means": decided.get("means")})
    return row
