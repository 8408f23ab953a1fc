"""Commands that look after studies: dashboard and doctor."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

from casmopolitan.cli.options import DEFAULT_FILE, DONE, FAILED, Json, StudyFile, emit, exit_codes, open_file, os_message, say
from casmopolitan.errors import DataError


def dashboard(
    study: StudyFile = DEFAULT_FILE,
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port on this machine.")] = 8080,
) -> None:
    """Serve Optuna's dashboard of the study's database on this machine only; Ctrl-C stops it."""
    with exit_codes():
        from casmopolitan.study.compat import storage_of
        from casmopolitan.study.dashboard import local_server

        one = open_file(study)
        with warnings.catch_warnings(action="ignore"):
            try:
                server = local_server(storage_of(one.study), port)
            except OSError as error:
                raise DataError(f"port {port}: {os_message(error)}; choose another with --port") from None
            say(f"http://127.0.0.1:{port}/  (this machine only, no password; Ctrl-C stops it)")
            with server:
                server.serve_forever()


def doctor(
    study: Annotated[
        Path | None, typer.Argument(metavar="STUDY", help="The study file; default: study.toml, if there is one.")
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Release stale trials, whose process is gone.")] = False,
    json: Json = False,
) -> None:
    """Check setup, study file, database and running trials, and suggest fixes. Exit code 1 if there is a problem."""
    with exit_codes():
        from casmopolitan.study.doctor import examine

        chosen = study if study is not None else (DEFAULT_FILE if DEFAULT_FILE.exists() else None)
        findings = examine(chosen, fix=fix)
        if json:
            emit([{"check": f.check, "state": f.state, "found": f.found, "fix": f.fix} for f in findings])
        else:
            marks = {"ok": "ok  ", "note": "note", "wrong": "FIX "}
            for f in findings:
                print(f"{marks[f.state]}  {f.check}: {f.found}{f'. {f.fix}' if f.fix else ''}")
        raise typer.Exit(FAILED if any(f.state == "wrong" for f in findings) else DONE)
