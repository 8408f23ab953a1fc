"""Why each trial was suggested, read back from the study."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from optuna.study import Study
from optuna.trial import FrozenTrial

from casmopolitan.study.sampler import records
from casmopolitan.study.sampler.replay import direction_of, written_here
from casmopolitan.study.sampler.settings import writer_of
from casmopolitan.trial import EXPLANATION_COLUMNS, EXPLANATION_FIELDS, sign_of

COLUMNS = ("number", "state", "value", *EXPLANATION_FIELDS, "params")
"""The keys of a row. `centre` is the number of the trial around which the region lay, None where that trial was not this
sampler's; `acquisition` is what was maximised, in the default log EI (and log P once trials fail); `mean` is in the study's own
sign."""


def explain(study: Study) -> list[dict[str, Any]]:
    """One row a trial, by number; what the sampler did not decide is None, and `source` is then 'given'.

    `source` says where a point came from: 'initial' (the design), 'acquisition' (the best expected improvement in the trust
    region), 'global' (the same over the whole space, in mixed spaces at a level little tried), 'restart' (a new region's
    centre), 'fallback' (random, `note` says why), 'given' (from outside). `region`, `radius` and `length` are the trust
    region's number, Hamming radius and side; `mean` and `deviation` what the model predicted, `success` how probably the trial
    would not fail, where others had.
    """
    return explain_trials(study.get_trials(deepcopy=False), sign_of(direction_of(study)), writer_of(study))


def explain_trials(trials: Sequence[FrozenTrial], sign: float, writer: str | None) -> list[dict[str, Any]]:
    """Return the rows of `explain` for a snapshot of trials."""
    numbers: dict[str, int] = {}
    rows = []
    for trial in trials:
        record = (records.read(trial.system_attrs) or {}) if written_here(trial, writer) else {}
        decided = record.get("suggestion")
        decided = decided if isinstance(decided, dict) else {}
        rows.append(_row(trial, decided, sign, numbers.get(_place(record.get("space"), decided.get("centre")))))
        if decided:
            numbers.setdefault(_place(record.get("space"), decided), trial.number)
    return rows


def _place(space: object, point: object) -> str:
    """A recorded point as a key; two of one space are equal when their coordinates are."""
    coordinates = (point.get("h"), point.get("x")) if isinstance(point, dict) else None
    return json.dumps([space, coordinates], default=str)


def _row(trial: FrozenTrial, decided: dict[str, Any], sign: float, centre: int | None) -> dict[str, Any]:
    mean = decided.get("mean")
    row = dict.fromkeys(COLUMNS)
    row |= {name: decided.get(name) for name in EXPLANATION_COLUMNS}
    row |= {"number": trial.number, "state": trial.state.name.lower(), "value": trial.value, "params": dict(trial.params)}
    row |= {"source": decided.get("source", "given"), "note": decided.get("note", ""), "centre": centre}
    row["mean"] = sign * mean if isinstance(mean, int | float) else None
    return row
