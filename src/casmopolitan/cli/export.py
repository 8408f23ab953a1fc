"""Commands that write files: export and report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from casmopolitan.cli.options import DEFAULT_FILE, USAGE, Json, StudyFile, emit, exit_codes, open_file, put, say


def export(
    study: StudyFile = DEFAULT_FILE,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file; by default standard output.")] = None,
    json: Json = False,
) -> None:
    """Export every trial as CSV, or as JSON with --json or a file named .json. `casmopolitan import` reads both."""
    with exit_codes():
        from casmopolitan.files import write_atomically
        from casmopolitan.spreadsheet.table import for_spreadsheets, written
        from casmopolitan.study.trials.export import as_json

        if output is not None and output.suffix.lower() not in ("", ".csv", ".txt", ".json"):
            say(f"casmopolitan: {output} has an unknown format; give the file a name that ends in .csv or .json")
            raise typer.Exit(USAGE)
        one = open_file(study)
        rows = one.rows()
        if json or (output is not None and output.suffix.lower() == ".json"):
            text = as_json(one, rows)
        else:
            text = written(rows, one.space, one.goals, notes=True)
            text = for_spreadsheets(text) if output is not None and (output.is_file() or not output.exists()) else text
        if output is None:
            put(text)
        else:
            write_atomically(text, output)
            say(f"wrote {len(rows)} trials to {output}")


def report(
    study: StudyFile = DEFAULT_FILE,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file; by default STUDY-report.html.")] = None,
    json: Json = False,
) -> None:
    """Write a self-contained HTML page: the best, what to try next, relevance, predictions, every trial, failures."""
    with exit_codes():
        from casmopolitan.study.report import write_report

        path = write_report(open_file(study), output or study.with_name(f"{study.stem}-report.html"))
        if json:
            emit({"report": path})
        else:
            print(path)
