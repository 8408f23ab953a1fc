"""The best trial or the Pareto front, and the limits, as the commands show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from casmopolitan.analysis.front import closest
from casmopolitan.analysis.row import TrialRow, complete, leading, precision, valued, volume_of
from casmopolitan.cli.live import sparkline
from casmopolitan.formatting import counted
from casmopolitan.goals import Goals, outcome_text
from casmopolitan.study.trials.open import OpenStudy


def front_summary(goals: Goals, best: Sequence[TrialRow]) -> dict[str, Any]:
    """Return the front of a study with several objectives and its hypervolume, as data for JSON; `best` is best first."""
    volume, reference = volume_of(best, goals)
    return {"front": [row.to_dict() for row in leading(best, goals)], "hypervolume": volume, "reference": reference}


def progress_of_goals(one: OpenStudy, rows: Sequence[TrialRow], data: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the lines of `status` about the best trial or the front, and about the limits."""
    shown, best = [], data.get("best")
    if best is not None:
        mean = f"{best['predicted']:.6g} by the model's mean; it gave " if "predicted" in best else ""
        shown.append(("best", f"{mean}{best['value']:.{precision(rows)}g} at trial {best['number']}"))
        shown.append(("", sparkline([row.result for row in valued(rows)])))
    elif data.get("front"):
        trials = ", ".join(str(row["number"]) for row in data["front"])
        shown.append(("front", f"{counted(len(data['front']), 'trial')}: {trials}"))
        shown.append(("", f"hypervolume {data['hypervolume']:.6g}"))
    if one.goals.limits and (done := len(complete(rows))):
        shown.append(("limits", f"met by {data['feasible']} of {counted(done, 'trial')}"))
    predicted = next((row for row in reversed(rows) if row.explanation.get("limits")), None)
    if predicted is not None:
        chances = ", ".join(f"{name} {chance:.0%}" for name, chance in predicted.explanation["limits"].items())
        shown.append(("", f"probability predicted for trial {predicted.number}: {chances}"))
    return shown


def reference_text(reference: dict[str, float]) -> str:
    """Return the reference point of a hypervolume as text."""
    return f"reference point {', '.join(f'{name} {value:.6g}' for name, value in reference.items())}"


def no_best(one: OpenStudy, rows: Sequence[TrialRow]) -> str:
    """Return why there is no best trial: none is complete, or none meets all limits."""
    done = complete(rows)
    if not done or not one.goals.limits:
        return f"no trial of {one.spec.name!r} has been completed yet"
    nearest = closest(done, one.goals)
    near = "" if nearest is None else f". Trial {nearest.number} comes closest: {outcome_text(nearest.told)}"
    limits = ", ".join(map(" ".join, one.goals.limits.items()))
    return f"no trial of {one.spec.name!r} is known to meet all limits ({limits}){near}"
