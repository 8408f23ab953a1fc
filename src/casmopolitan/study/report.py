"""Write the report of a study."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from casmopolitan.files import write_atomically
from casmopolitan.report.model import summarise_models
from casmopolitan.report.page import Facts, render
from casmopolitan.study.file.diff import program_of
from casmopolitan.study.file.schema import PRESETS, Spec
from casmopolitan.study.storage.url import redacted
from casmopolitan.study.trials.export import goals_of
from casmopolitan.study.trials.open import OpenStudy
from casmopolitan.study.versions import versions

PACKAGES = ("optuna", "numpy", "scipy", "sqlalchemy")


def write_report(opened: OpenStudy, path: Path) -> str:
    """Write the report of a study in its current state; return the path."""
    write_atomically(build_report(opened), path)
    return str(path)


def build_report(opened: OpenStudy) -> str:
    """Return the report of a study as an HTML page."""
    spec, rows = opened.spec, opened.rows()
    best = opened.best_first(rows)
    models = summarise_models(rows, spec.space, opened.config, opened.seed, opened.goals, best)
    made = time.strftime("%d %B %Y, %H:%M")
    facts = Facts(spec.name, opened.goals, spec.budget, made, settings(opened), versions(PACKAGES))
    return render(facts, rows, spec.space, models, best)


def settings(opened: OpenStudy) -> dict[str, Any]:
    """Return the settings of the study, without secrets."""
    spec = opened.spec
    default = PRESETS[spec.preset].to_dict()
    found: dict[str, Any] = {**goals_of(opened.goals), "budget": spec.budget, "seed": opened.seed, "preset": spec.preset}
    found |= {name: value for name, value in opened.config.to_dict().items() if value != default[name]}
    found |= {"storage": redacted(spec.storage), "parallel": spec.parallel, **_objective(spec)}
    found["variables"] = "; ".join(f"{name}: {variable!r}" for name, variable in spec.space.variables.items())
    if spec.past_studies:
        found["past"] = "; ".join(map(str, spec.past_studies))
    if spec.forbid:
        found["forbidden"] = "; ".join(map(str, spec.forbid))
    return found


def _objective(spec: Spec) -> dict[str, Any]:
    what = spec.objective
    if what is None:
        return {"objective": "evaluated by hand (ask and tell)"}
    found: dict[str, Any] = {"objective": program_of(spec)}
    found |= {"time limit": f"{what.time_limit:g} s"} if what.time_limit else {}
    found |= {"memory limit": f"{what.memory_limit / 1e6:.0f} MB"} if what.memory_limit else {}
    found |= {"retries": what.retries} if what.retries else {}
    return found
