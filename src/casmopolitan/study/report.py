"""Write the report of a study: of a study file, or of any study of Optuna."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from optuna.study import Study

from casmopolitan.analysis.ranking import best_by_model
from casmopolitan.analysis.row import TrialRow
from casmopolitan.config import Config
from casmopolitan.execution.objective import without_secrets
from casmopolitan.execution.program import Program
from casmopolitan.files import write_atomically
from casmopolitan.report.facts import Facts, Found
from casmopolitan.report.model import chances_of_success, summarise_models
from casmopolitan.report.page import render
from casmopolitan.report.run import SUGGESTED, changed_settings, made
from casmopolitan.space import Space
from casmopolitan.study.file.diff import program_of
from casmopolitan.study.file.schema import PRESETS, Spec
from casmopolitan.study.sampled import Sampled, sampled
from casmopolitan.study.sampler.sampler import CasmopolitanSampler
from casmopolitan.study.sampler.search_space import translation_of
from casmopolitan.study.storage.url import redacted
from casmopolitan.study.suggestions import next_suggestions
from casmopolitan.study.trials.export import goals_of
from casmopolitan.study.trials.open import OpenStudy
from casmopolitan.versions import versions

PACKAGES = ("optuna", "numpy", "scipy", "sqlalchemy")


def write_report(study: Study | OpenStudy, path: str | os.PathLike[str], *, description: str = "") -> str:
    """Write the report of a study in its current state as an HTML page. The study does not change.

    Args:
        study: A study of Optuna, with any sampler. Only with `CasmopolitanSampler` has the page suggestions.
        path: The file; it is replaced if it exists.
        description: A text below the title.

    Returns:
        The path.

    Raises:
        DataError: If the study has no completed trial yet, and its sampler no declared search space.
        MissingExtraError: If jinja2 is not installed.
    """
    page = build_report(study) if isinstance(study, OpenStudy) else _sampled_report(sampled(study), description)
    write_atomically(page, Path(path))
    return str(path)


def build_report(opened: OpenStudy) -> str:
    """Return the report of a study file as an HTML page."""
    spec, trials = opened.spec, opened.trials()
    facts = Facts(
        spec.name,
        opened.goals,
        spec.budget,
        made(),
        settings(opened),
        versions(PACKAGES),
        spec.description,
        next(iter(spec.initial), None),
        None if spec.objective is None else lambda row: command_of(opened, row),
    )
    rows, suggestions = opened.rows(trials), []
    if isinstance(sampler := opened.study.sampler, CasmopolitanSampler):
        suggestions = next_suggestions(opened.study, trials, translation_of(spec.space), sampler, opened.goals, SUGGESTED)
    return _page(facts, rows, opened.best_first(rows), opened.space, opened.config, opened.seed, suggestions)


def _sampled_report(found: Sampled, description: str) -> str:
    """Return the report of a study of Optuna as an HTML page."""
    study = found.study
    listed = {"sampler": type(study.sampler).__name__, **goals_of(found.goals), "seed": found.seed}
    facts = Facts(
        study.study_name,
        found.goals,
        None,
        made(),
        {**listed, **changed_settings(found.config.to_dict())},
        versions(PACKAGES),
        description,
    )
    suggestions = []
    if isinstance(study.sampler, CasmopolitanSampler):
        suggestions = next_suggestions(study, found.trials, found.translation, study.sampler, found.goals, SUGGESTED)
    rows = found.rows()
    best = best_by_model(rows, found.space, found.config, found.seed, found.goals)
    return _page(facts, rows, best, found.space, found.config, found.seed, suggestions)


def _page(
    facts: Facts,
    rows: Sequence[TrialRow],
    best: Sequence[TrialRow],
    space: Space,
    config: Config,
    seed: int,
    suggestions: Sequence[TrialRow],
) -> str:
    """Return a page on the rows of a study; `best` are those that meet all limits, best first."""
    models = summarise_models(rows, space, config, seed, facts.goals, best)
    chances = chances_of_success(rows, space, config, seed, facts.goals)
    return render(facts, rows, space, Found(models, chances, suggestions), best)


def command_of(opened: OpenStudy, row: TrialRow) -> str:
    """Return the command that evaluates a trial's configuration, quoted for a shell and without secrets."""
    what = opened.spec.objective
    if what is None:
        return ""
    configuration = row.configuration
    if what.function is not None:
        module, _, name = what.function.partition(":")
        pairs = ", ".join(f"{_literal(key)}: {_literal(value)}" for key, value in configuration.items())
        return shlex.join(["python", "-c", f"from {module} import {name}; print({name}({{{pairs}}}))"])
    shown = what.model_copy(update={"command": without_secrets(what.command or [])})
    arguments = Program(shown, opened.spec.folder, opened.goals).arguments(configuration, row.number)
    given = f"echo {shlex.quote(json.dumps(configuration))} | " if what.stdin == "json" else ""
    return given + shlex.join(arguments)


def _literal(value: object) -> str:
    """Return a value as Python writes it, text in double quotes, which need no quotes in a shell."""
    return json.dumps(value) if isinstance(value, str) else repr(value)


def settings(opened: OpenStudy) -> dict[str, Any]:
    """Return the settings of the study, without secrets."""
    spec = opened.spec
    default = PRESETS[spec.preset].to_dict()
    found: dict[str, Any] = {**goals_of(opened.goals), "budget": spec.budget, "seed": opened.seed, "preset": spec.preset}
    found |= {name: value for name, value in opened.config.to_dict().items() if value != default[name]}
    found |= {"storage": redacted(spec.storage), "parallel": spec.parallel, **_objective(spec)}
    if spec.past_studies:
        found["past"] = "; ".join(map(str, spec.past_studies))
    if spec.forbid:
        found["forbidden"] = "; ".join(map(_clause_text, spec.forbid))
    if spec.rules:
        found["rules"] = "; ".join(spec.rules)
    return found


def _clause_text(clause: Mapping[str, Any]) -> str:
    """Return a forbidden combination for a reader."""

    def text(values: Any) -> str:
        if isinstance(values, dict):
            return ", ".join(f"{end} {bound}" for end, bound in values.items())
        return " or ".join(map(str, values)) if isinstance(values, list) else str(values)

    return " with ".join(f"{name} {text(values)}" for name, values in clause.items())


def _objective(spec: Spec) -> dict[str, Any]:
    what = spec.objective
    if what is None:
        return {"objective": "evaluated by hand (ask and tell)"}
    found: dict[str, Any] = {"objective": program_of(spec)}
    found |= {"time limit": f"{what.time_limit:g} s"} if what.time_limit else {}
    found |= {"memory limit": f"{what.memory_limit / 1e6:.0f} MB"} if what.memory_limit else {}
    found |= {"retries": what.retries} if what.retries else {}
    return found
