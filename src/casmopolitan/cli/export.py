"""Commands that write files: export and report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from casmopolitan.cli.options import (
    DEFAULT_FILE,
    DecimalComma,
    Json,
    StudyFile,
    check_format,
    emit,
    exit_codes,
    open_file,
    put,
    say,
)


def export(
    study: StudyFile = DEFAULT_FILE,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file; by default standard output.")] = None,
    decimal_comma: DecimalComma = None,
    json: Json = False,
) -> None:
    """Export every trial: CSV, a workbook (.xlsx) or JSON, by the name of the file. `casmopolitan import` reads them all."""
    with exit_codes():
        from casmopolitan.files import write_atomically
        from casmopolitan.formatting import counted
        from casmopolitan.spreadsheet.files import as_csv, encoded
        from casmopolitan.spreadsheet.table import cells_of
        from casmopolitan.study.trials.export import as_json

        if output is not None:
            check_format(output, ".csv", ".xlsx", ".json")
        one = open_file(study)
        rows = one.rows()
        table = cells_of(rows, one.space, one.goals, notes=True)
        if json or (output is not None and output.suffix.lower() == ".json"):
            content: str | bytes = as_json(one, rows)
        elif output is None or (output.exists() and not output.is_file()):  # a stream, not a file for a spreadsheet
            content = as_csv(table, comma=bool(decimal_comma))
        else:
            content = encoded(table, output, comma=one.comma if decimal_comma is None else decimal_comma)
        if output is None:
            put(content if isinstance(content, str) else content.decode())
        else:
            write_atomically(content, output)
            say(f"wrote {counted(len(rows), 'trial')} to {output}")


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
