"""The numbers at the top of a page."""

from __future__ import annotations

from collections.abc import Sequence

from casmopolitan.analysis.convergence import is_design
from casmopolitan.analysis.row import ENDED, TrialRow, complete, identity, leading, ranked, volume_of
from casmopolitan.formatting import counted
from casmopolitan.report import tables
from casmopolitan.report.facts import Facts


def baseline_of(facts: Facts, rows: Sequence[TrialRow], best: Sequence[TrialRow]) -> tuple[TrialRow, float] | None:
    """Return the trial of the baseline and its value, or its predicted mean in a noisy run; None if it has none."""
    if facts.baseline is None or not facts.goals.single:
        return None
    wanted = identity(facts.baseline)
    found = next((row for row in [*best, *complete(rows)] if identity(row.configuration) == wanted), None)
    return (
        None if found is None or found.value is None else (found, found.value if found.predicted is None else found.predicted)
    )


def tiles(
    facts: Facts, rows: Sequence[TrialRow], best: Sequence[TrialRow], baseline: tuple[TrialRow, float] | None = None
) -> list[tuple[str, str]]:
    """Return the names and numbers at the top of the page."""
    ended = sum(row.counts and row.state in ENDED for row in rows)
    found = [("trials", str(ended) if facts.budget is None else f"{ended} of {facts.budget}")]
    if best and not facts.goals.single:
        count, (volume, _) = len(leading(best, facts.goals)), volume_of(best, facts.goals)
        found[:0] = [("on the front", counted(count, "trial")), ("hypervolume", f"{volume:.6g}")]
    elif best:
        found = [*_best_tiles(facts, rows, best, baseline), *found]
    if facts.goals.limits:
        done = complete(rows)
        found.append(("meet all limits", f"{sum(row.feasible is True for row in done)} of {len(done)}"))
    counts = {
        "failed": sum(row.state == "failed" for row in rows),
        "ended early": sum(row.state == "pruned" for row in rows),
        "known results": sum(row.known for row in rows),
        "restarts": max((row.explanation.get("region") or 0 for row in rows), default=0),
        "under way": sum(row.state in ("running", "asked", "waiting") for row in rows),
    }
    found += [(name, str(count)) for name, count in counts.items() if count]
    spent = tables.seconds_of(rows)
    return [*found, ("time in trials", spent)] if spent else found


def _best_tiles(
    facts: Facts, rows: Sequence[TrialRow], best: Sequence[TrialRow], baseline: tuple[TrialRow, float] | None
) -> list[tuple[str, str]]:
    """Return the value of the best trial, the values to compare it with, and its other outcomes."""
    seen, mean = best[0].result, best[0].predicted
    started = [row for row in (best if mean is not None else ranked(rows, facts.goals)) if is_design(row.explanation)]
    start = (started[0].result if mean is None else started[0].predicted or seen) if started else None
    value = seen if mean is None else mean
    others = [one for one in (start, None if baseline is None else baseline[1]) if one is not None and one != value]
    digits = next((n for n in (6, 8, 10, 12) if all(f"{value:.{n}g}" != f"{other:.{n}g}" for other in others)), 6)
    if mean is None:
        found = [("best value", f"{value:.{digits}g}")]
    else:
        found = [("best by the model's mean", f"{value:.{digits}g}"), ("value seen there", f"{seen:.{digits}g}")]
    if baseline is not None:
        gain = f", {100 * (value - baseline[1]) / abs(baseline[1]):+.0f} %" if baseline[1] else ""
        found.append((f"baseline (trial {baseline[0].number}){gain}", f"{baseline[1]:.{digits}g}"))
    found += [("best initial value", f"{start:.{digits}g}")] if start is not None else []
    found.append(("found at trial", str(best[0].number)))
    told = best[0].outcomes or {}
    return found + [(f"{name} {text}", f"{told[name]:.6g}") for name, text in facts.goals.limits.items()]
