"""The report of a study: one HTML page, self-contained, that opens offline and runs nothing."""

from __future__ import annotations

import importlib.metadata
import platform
import time
from typing import Any

from casmopolitan.study.file.diff import program_of
from casmopolitan.study.file.schema import PRESETS, Spec
from casmopolitan.study.report.model import learnt
from casmopolitan.study.report.page import Facts, page
from casmopolitan.study.storage.url import redacted
from casmopolitan.study.trials.open import OpenStudy

PACKAGES = ("casmopolitan", "optuna", "numpy", "scipy", "sqlalchemy")


def report(opened: OpenStudy) -> str:
    """The page of a study as it stands."""
    spec, rows = opened.spec, opened.rows()
    best = opened.best_first(rows)
    model = learnt(rows, spec.space, opened.config, opened.seed, spec.direction, best)
    facts = Facts(
        spec.name, spec.direction, spec.budget, time.strftime("%d %B %Y, %H:%M"), settings(opened), versions(PACKAGES)
    )
    return page(facts, rows, spec.space, model, best)


def settings(opened: OpenStudy) -> dict[str, Any]:
    """What the study was run with, secrets left out."""
    spec = opened.spec
    said: dict[str, Any] = {"direction": spec.direction, "budget": spec.budget, "seed": opened.seed, "preset": spec.preset}
    default = PRESETS[spec.preset].to_dict()
    said |= {name: value for name, value in opened.config.to_dict().items() if value != default[name]}
    said["storage"] = redacted(spec.storage)
    said["parallel"] = spec.parallel
    said |= objective(spec)
    said["variables"] = "; ".join(f"{name}: {variable!r}" for name, variable in spec.space.variables.items())
    if spec.forbid:
        said["forbidden"] = "; ".join(map(str, spec.forbid))
    return said


def objective(spec: Spec) -> dict[str, Any]:
    """What is evaluated, and its limits."""
    what = spec.objective
    if what is None:
        return {"objective": "by hand (ask and tell)"}
    said: dict[str, Any] = {"objective": program_of(spec)}
    said |= {"time limit": f"{what.time_limit:g} s"} if what.time_limit else {}
    said |= {"memory limit": f"{what.memory_limit / 1e6:.0f} MB"} if what.memory_limit else {}
    said |= {"retries": what.retries} if what.retries else {}
    return said


def versions(packages: tuple[str, ...]) -> dict[str, str]:
    """Python, the machine, and the packages that are installed."""
    found = {"python": platform.python_version(), "machine": f"{platform.system()} {platform.machine()}"}
    for name in packages:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "not installed"
    return {"casmopolitan": found.pop("casmopolitan", ""), **found} if "casmopolitan" in found else found
