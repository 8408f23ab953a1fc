"""Checks of a study and its surroundings, with advice on how to fix what is wrong."""

from __future__ import annotations

import importlib.machinery
import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sqlalchemy.engine import make_url

from casmopolitan.analysis.row import TrialRow
from casmopolitan.errors import CasmopolitanError
from casmopolitan.formatting import counted, first_few
from casmopolitan.study.file.diff import program_change
from casmopolitan.study.file.load import load
from casmopolitan.study.file.schema import Spec
from casmopolitan.study.liveness import release_stale_trials, stale_trials
from casmopolitan.study.storage.retry import DAMAGED
from casmopolitan.study.storage.url import completed_url, redacted
from casmopolitan.study.trials.open import MissingStudyError, OpenStudy, database_url, open_spec
from casmopolitan.versions import versions

REQUIRED = ("numpy", "scipy", "optuna", "sqlalchemy", "pydantic", "typer", "rich", "jinja2", "psutil", "tenacity")
OPTIONAL = ("psycopg", "openpyxl")
WRITABLE = "Get permission to write there, or copy the study to a folder of your own"
LITTLE = 200_000_000
"""Free disk space, in bytes, below which the doctor warns."""


@dataclass(frozen=True)
class Finding:
    """The result of one check, and how to fix what is wrong."""

    check: str
    state: Literal["ok", "note", "wrong"]
    found: str
    fix: str = ""


def examine(file: Path | None, *, fix: bool = False) -> list[Finding]:
    """Run every check that is possible without running the study's own code; `fix` releases stale trials."""
    findings = list(_check_setup())
    if file is None:
        return [*findings, Finding("study file", "note", "none given, and there is no study.toml here", "Name one")]
    try:
        spec = load(file)
    except CasmopolitanError as error:
        return [*findings, Finding("study file", "wrong", str(error))]
    findings.append(Finding("study file", "ok", f"{file}: {counted(len(spec.space), 'variable')}, budget {spec.budget}"))
    return [*findings, _check_program(spec), *_check_past(spec), *_check_database(spec, fix)]


def _check_setup() -> Iterator[Finding]:
    found = versions((*REQUIRED, *OPTIONAL))
    installed = {name: version for name, version in found.items() if version != "not installed"}
    yield Finding("versions", "ok", ", ".join(f"{name} {version}" for name, version in installed.items()))
    missing = [name for name in REQUIRED if name not in installed]
    if missing:
        yield Finding("packages", "wrong", f"missing: {', '.join(missing)}", "pip install 'casmopolitan[study]'")
    if sys.platform not in ("linux", "darwin"):
        yield Finding("platform", "note", f"`run` does not work on {sys.platform}", "Use Linux or macOS, or `ask` and `tell`")


def _check_program(spec: Spec) -> Finding:
    """Check whether the objective could be started, without starting it."""
    objective = spec.objective
    if objective is None:
        return Finding("objective", "ok", "by hand (ask and tell)")
    folder = spec.folder / objective.folder
    if objective.command is not None:
        program = objective.command[0]
        if program == "python" or shutil.which(program) or (folder / program).exists():
            return Finding("objective", "ok", f"command {program}")
        return Finding("objective", "wrong", f"there is no program {program!r}", "Give its full path, or install it")
    module = (objective.function or "").partition(":")[0].partition(".")[0]
    if importlib.machinery.PathFinder.find_spec(module, [str(folder), *sys.path]) is not None:
        return Finding("objective", "ok", f"function {objective.function}")
    return Finding("objective", "wrong", f"there is no module {module!r}", "Put it beside the study file, or install it")


def _check_past(spec: Spec) -> Iterator[Finding]:
    """Check which trials of earlier studies fit the space."""
    for study in spec.past_studies:
        reasons = "; ".join(first_few(study.left_out, "and {} more", few=2))
        yield Finding("past", "note" if study.left_out else "ok", f"{study}{': ' if reasons else ''}{reasons}")


def _check_database(spec: Spec, fix: bool) -> Iterator[Finding]:
    url = database_url(spec)
    try:
        parsed = make_url(completed_url(url))
        if parsed.drivername.startswith("sqlite") and parsed.database:
            found = list(_check_sqlite(Path(parsed.database)))
            yield from found
            if any(finding.check == "database file" and finding.state == "wrong" for finding in found):
                return
        opened = open_spec(spec, heartbeat=spec.heartbeat)
        rows = opened.rows()
    except MissingStudyError as error:
        yield Finding("study", "note", str(error))
        return
    except CasmopolitanError as error:
        yield Finding("study", "wrong", str(error))
        return
    yield Finding("study", "ok", f"{spec.name!r} in {redacted(url)}, {counted(len(rows), 'trial')}")
    if changed := program_change(opened.record, spec):
        yield Finding("program", "note", changed)
    yield from _check_trials(opened, rows, fix)


def _check_sqlite(file: Path) -> Iterator[Finding]:
    """Check the disk space, the permissions, the integrity and the lock of a database file."""
    folder = file.parent
    free = shutil.disk_usage(folder).free if folder.exists() else 0
    if free < LITTLE:
        yield Finding("disk", "wrong", f"{free / 1e6:.0f} MB free in {folder}", "Make room: a full disk stops the study")
    if folder.exists() and not os.access(folder, os.W_OK):
        yield Finding("database file", "wrong", f"{folder} is not writable", "SQLite writes beside its file: " + WRITABLE)
        return
    if not file.exists():
        return
    uri = f"{file.resolve().as_uri()}?mode=rw"
    try:
        with closing(sqlite3.connect(uri, uri=True, timeout=2.0, isolation_level=None)) as database:
            mode = database.execute("PRAGMA journal_mode").fetchone()[0]
            health = database.execute("PRAGMA quick_check(1)").fetchone()[0]
            database.execute("BEGIN IMMEDIATE")
            database.execute("ROLLBACK")
    except sqlite3.Error as error:
        found, advice = f"{file}: {error}", DAMAGED
        if "locked" in str(error):
            found = f"{file} is locked by another process"
            advice = "Wait, or find that process (`fuser` on the file); use PostgreSQL for many workers"
        elif "readonly" in str(error) or "unable to open" in str(error):
            advice = WRITABLE
        yield Finding("database file", "wrong", found, advice)
        return
    if health == "ok":
        yield Finding("database file", "ok", f"{file}: intact, journal mode {mode}")
    else:
        yield Finding("database file", "wrong", f"{file} is damaged: {health}", DAMAGED)


def _check_trials(opened: OpenStudy, rows: Sequence[TrialRow], fix: bool) -> Iterator[Finding]:
    stale = [trial.number for trial in stale_trials(opened.study)]
    if stale and fix:
        done = release_stale_trials(opened.study)
        result = f"released {_named(done)}" if done else "another process has released them"
        yield Finding("stale trials", "ok", f"{result}; the next run tries them again")
    elif stale:
        gone = "counts as running, but its process is gone"
        found = f"{_named(stale)} {gone if len(stale) == 1 else 'count as running, but their processes are gone'}"
        advice = "`casmopolitan doctor --fix` releases them; so does the next `casmopolitan run`"
        yield Finding("stale trials", "wrong", found, advice)
    pending = [row for row in rows if row.state in ("running", "asked") and row.number not in stale]
    if asked := [row.number for row in pending if row.state == "asked"]:
        advice = "`casmopolitan tell` their results, or `casmopolitan cancel` them"
        are = "is reserved by hand and has" if len(asked) == 1 else "are reserved by hand and have"
        yield Finding("reserved", "note", f"{_named(asked)} {are} no result yet", advice)
    if running := [row.number for row in pending if row.state == "running"]:
        yield Finding("running", "note", _named(running))
    for row in pending:
        yield from _check_complete(row, opened)
    if failed := [row for row in rows if row.state == "failed"]:
        found = f"{len(failed)} of {counted(len(rows), 'trial')} failed; the last: {failed[-1].error or 'told as failed'}"
        yield Finding("failures", "note", found, "`casmopolitan trials --state failed --output` shows their output")


def _check_complete(row: TrialRow, opened: OpenStudy) -> Iterator[Finding]:
    """Check that a pending trial has a value for every variable; otherwise it cannot have been run yet."""
    active = opened.space.activity.active(row.configuration)
    missing = [repr(name) for name in opened.space if name in active and name not in row.configuration]
    if not missing or row.outside:  # a trial from before a variable was added is complete
        return
    advice = f"`casmopolitan cancel {row.number}` cancels it"
    if row.state == "running":
        end = f"study.tell({row.number}, state=optuna.trial.TrialState.FAIL)"
        advice = f"Wait for its process; if there is none, end the trial with Optuna: `{end}`"
    yield Finding("unfinished", "note", f"trial {row.number} has no value for {', '.join(missing[:5])}", advice)


def _named(numbers: Sequence[int]) -> str:
    """Return trials by number: "trial 3", or "trials 3, 4"."""
    return f"trial{'' if len(numbers) == 1 else 's'} {', '.join(map(str, numbers))}"
