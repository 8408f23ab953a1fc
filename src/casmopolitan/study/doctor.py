"""What is wrong with a study or its surroundings, and how to mend it."""

from __future__ import annotations

import importlib.machinery
import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sqlalchemy.engine import make_url

from casmopolitan.errors import CasmopolitanError
from casmopolitan.study.execution.liveness import release_stale_trials, stale_trials
from casmopolitan.study.file.diff import program_change
from casmopolitan.study.file.load import load
from casmopolitan.study.file.schema import Spec
from casmopolitan.study.storage.retry import DAMAGED
from casmopolitan.study.storage.url import completed_url, redacted
from casmopolitan.study.trials.open import MissingStudyError, OpenStudy, address, open_spec
from casmopolitan.study.trials.row import TrialRow
from casmopolitan.study.versions import versions

PACKAGES = (
    "casmopolitan",
    "optuna",
    "numpy",
    "scipy",
    "typer",
    "rich",
    "pydantic",
    "sqlalchemy",
    "psycopg",
)
OPTIONAL = ("psycopg",)
WRITABLE = "Give yourself the right to write there, or copy the study to a folder of your own"
LITTLE = 200_000_000
"""Bytes of free disk below which the doctor warns."""


@dataclass(frozen=True)
class Finding:
    """One check: fine, worth knowing, or wrong; and the way out."""

    check: str
    state: Literal["ok", "note", "wrong"]
    found: str
    fix: str = ""


def examined(file: Path | None, *, fix: bool = False) -> list[Finding]:
    """Every check that can be made; nothing of the study's own code is run."""
    findings = list(_setup())
    if file is None:
        return [*findings, Finding("study file", "note", "none given, and there is no study.toml here", "Name one")]
    try:
        spec = load(file)
    except CasmopolitanError as error:
        return [*findings, Finding("study file", "wrong", str(error))]
    findings.append(Finding("study file", "ok", f"{file}: {len(spec.space)} variables, budget {spec.budget}"))
    findings += _program(spec)
    findings += _database(spec, fix)
    return findings


def _setup() -> Iterator[Finding]:
    found = versions(PACKAGES)
    missing = [name for name in PACKAGES if found[name] == "not installed"]
    yield Finding("versions", "ok", ", ".join(f"{name} {version}" for name, version in found.items() if name not in missing))
    needed = [name for name in missing if name not in OPTIONAL]
    if needed:
        yield Finding("packages", "wrong", f"missing: {', '.join(needed)}", "pip install 'casmopolitan[study]'")
    if sys.platform not in ("linux", "darwin"):
        yield Finding("platform", "note", f"trials cannot be guarded on {sys.platform}", "Use Linux or macOS, or ask and tell")


def _program(spec: Spec) -> Iterator[Finding]:
    """Whether the objective could be started, judged without starting it."""
    what = spec.objective
    if what is None:
        yield Finding("objective", "ok", "by hand (ask and tell)")
    elif what.command is not None:
        folder = spec.folder / what.folder
        program = what.command[0]
        found = program == "python" or shutil.which(program, path=None) or (folder / program).exists()
        if found:
            yield Finding("objective", "ok", f"command {program}")
        else:
            yield Finding("objective", "wrong", f"there is no program {program!r}", "Give its whole path, or install it")
    else:
        module = (what.function or "").partition(":")[0].partition(".")[0]
        paths = [str(spec.folder / what.folder), *sys.path]
        if importlib.machinery.PathFinder.find_spec(module, paths) is not None:
            yield Finding("objective", "ok", f"function {what.function}")
        else:
            advice = "Put it beside the study file, or install it"
            yield Finding("objective", "wrong", f"there is no module {module!r}", advice)


def _database(spec: Spec, fix: bool) -> Iterator[Finding]:
    url = address(spec)
    try:
        parsed = make_url(completed_url(url))
    except CasmopolitanError as error:
        yield Finding("database", "wrong", str(error))
        return
    if parsed.drivername.startswith("sqlite") and parsed.database:
        found = list(_sqlite(Path(parsed.database)))
        yield from found
        if any(finding.check == "database file" and finding.state == "wrong" for finding in found):
            return
    try:
        opened = open_spec(spec, heartbeat=spec.heartbeat)
    except MissingStudyError as error:
        yield Finding("study", "note", str(error))
        return
    except CasmopolitanError as error:
        yield Finding("study", "wrong", str(error))
        return
    yield Finding("study", "ok", f"{spec.name!r} in {redacted(url)}, {len(opened.rows())} trials")
    if changed := program_change(opened.record, spec):
        yield Finding("program", "note", changed)
    yield from _trials(opened, fix)


def _sqlite(file: Path) -> Iterator[Finding]:
    """The database's file: its room, its integrity, and whether somebody holds it."""
    folder = file.parent
    free = shutil.disk_usage(folder).free if folder.exists() else 0
    if free < LITTLE:
        yield Finding("disk", "wrong", f"{free / 1e6:.0f} MB free in {folder}", "Make room: a full disk stops the study")
    if folder.exists() and not os.access(folder, os.W_OK):
        yield Finding("database file", "wrong", f"{folder} may not be written to", "SQLite writes beside its file: " + WRITABLE)
        return
    if not file.exists():
        return
    try:
        with sqlite3.connect(f"{file.resolve().as_uri()}?mode=rw", uri=True, timeout=2.0, isolation_level=None) as base:
            mode = base.execute("PRAGMA journal_mode").fetchone()[0]
            health = base.execute("PRAGMA quick_check(1)").fetchone()[0]
            base.execute("BEGIN IMMEDIATE")
            base.execute("ROLLBACK")
        base.close()
    except sqlite3.Error as error:
        if "locked" in str(error):
            advice = "Wait, or find who holds it (`fuser` on the file); many workers want PostgreSQL"
            yield Finding("database file", "wrong", f"{file} is locked by another process", advice)
        else:
            advice = WRITABLE if "readonly" in str(error) or "unable to open" in str(error) else DAMAGED
            yield Finding("database file", "wrong", f"{file}: {error}", advice)
        return
    if health == "ok":
        yield Finding("database file", "ok", f"{file}: sound, journal mode {mode}")
    else:
        yield Finding("database file", "wrong", f"{file} is damaged: {health}", DAMAGED)


def _trials(opened: OpenStudy, fix: bool) -> Iterator[Finding]:
    dead = [trial.number for trial in stale_trials(opened.study)]
    if dead and fix:
        done = release_stale_trials(opened.study)
        said = f"freed trial {', '.join(map(str, done))}" if done else "somebody else has freed them meanwhile"
        yield Finding("zombies", "ok", f"{said}; the next run tries them again")
    elif dead:
        found = f"trial {', '.join(map(str, dead))} counts as running, but the process is gone"
        yield Finding("zombies", "wrong", found, "`casmopolitan doctor --fix` frees them; so does the next `casmopolitan run`")
    rows = opened.rows()
    asked = [row.number for row in rows if row.state == "asked"]
    if asked:
        found = f"trial {', '.join(map(str, asked))} asked for by hand and not told yet"
        yield Finding("reserved", "note", found, "`casmopolitan tell` their results, or `casmopolitan cancel` them")
    running = [row.number for row in rows if row.state == "running" and row.number not in dead]
    if running:
        yield Finding("running", "note", f"trial {', '.join(map(str, running))}")
    yield from _unfinished(opened, [row for row in rows if row.number not in dead])
    failed = [row for row in rows if row.state == "failed"]
    if failed:
        found = f"{len(failed)} of {len(rows)} trials failed; the last: {failed[-1].error or 'told as failed'}"
        yield Finding("failures", "note", found, "`casmopolitan trials --state failed --output` shows what they printed")


def _unfinished(opened: OpenStudy, rows: Sequence[TrialRow]) -> Iterator[Finding]:
    """Trials that are out and lack a variable: nobody could have run them yet."""
    for row in rows:
        missing = [repr(name) for name in opened.space if name not in row.configuration]
        if row.state not in ("running", "asked") or not missing:
            continue
        advice = f"`casmopolitan cancel {row.number}` gives it back"
        if row.state == "running":
            end = f"study.tell({row.number}, state=optuna.trial.TrialState.FAIL)"
            advice = f"Its process may be about to; if none is at it, end it with Optuna: `{end}`"
        yield Finding("unfinished", "note", f"trial {row.number} was given no value of {', '.join(missing[:5])}", advice)
