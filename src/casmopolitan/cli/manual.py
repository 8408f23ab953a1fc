"""Commands for experiments that people run themselves: ask, tell, cancel, import."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from casmopolitan.cli.options import (
    DEFAULT_FILE,
    EXHAUSTED,
    USAGE,
    Accept,
    Json,
    StudyFile,
    StudyOption,
    begun,
    console,
    emit,
    handled,
    make_ready,
    opened,
    put,
    say,
    specified,
)
from casmopolitan.errors import DataError

if TYPE_CHECKING:
    from casmopolitan.study.trials.open import OpenStudy

SUFFIXES = (".toml",)
"""How the names of study files end."""


def study_option(study: Path) -> str:
    """The option that names the study file, where it is not the one that every command takes by itself."""
    return "" if study == DEFAULT_FILE else f" -s {shlex.quote(str(study))}"


def ask(
    study: StudyFile = DEFAULT_FILE,
    n: Annotated[int, typer.Option("-n", "--number", min=1, help="How many trials.")] = 1,
    csv: Annotated[Path | None, typer.Option("--csv", help="A CSV file to fill in; - is standard output.")] = None,
    accept_changes: Accept = False,
    json: Json = False,
) -> None:
    """The next experiments to run. They are reserved until you `tell` their results or `cancel` them."""
    with handled():
        from casmopolitan.cli.live import to_be_run
        from casmopolitan.study.trials.manual import asked, given_back
        from casmopolitan.study.trials.spreadsheet import for_spreadsheets, written

        if json and str(csv) == "-":
            say("casmopolitan: --json and --csv - both want standard output; give one of them, or a file")
            raise typer.Exit(USAGE)
        spec = specified(study)
        with kept_free(csv) as file:
            one = begun(spec, accept_changes)
            make_ready(one)
            rows = asked(one, n)
            if rows and file is not None:
                try:
                    file.write(for_spreadsheets(written(rows, one.space)))
                    file.flush()
                except BaseException:
                    given_back(one, [row.number for row in rows])
                    raise
        try:
            if json:
                emit([row.to_dict() for row in rows])
            elif rows and str(csv) == "-":
                put(written(rows, one.space))
        except OSError:
            given_back(one, [row.number for row in rows] if csv is None or str(csv) == "-" else [])
            raise
        if rows and csv is None and not json:
            to_be_run(console(), rows, one.space)
            say(
                f"reserved; `casmopolitan tell{study_option(study)} --trial NUMBER --value VALUE` when done, "
                f"`casmopolitan cancel{study_option(study)} NUMBER` if not"
            )
        if rows and csv is not None and str(csv) != "-":
            then = f"fill in the column 'value', then `casmopolitan tell{study_option(study)} {csv}`"
            say(f"{len(rows)} trial{'' if len(rows) == 1 else 's'} reserved in {csv}; {then}")
        counted = sum(row.counts for row in one.rows())
        if rows and counted > spec.budget:
            say(f"that makes {counted} trials, beyond the budget of {spec.budget}")
        if len(rows) < n:
            only = f"only {len(rows)} of {n}" if rows else "nothing reserved"
            say(f"{only}: every other point has been tried or is out, or none was found that the constraint allows")
            raise typer.Exit(EXHAUSTED)


@contextmanager
def kept_free(path: Path | None) -> Iterator[TextIO | None]:
    """A new file to write to, made before anything is reserved and gone again where nothing came of it."""
    if path is None or str(path) == "-":
        yield None
        return
    try:
        file = path.open("x", encoding="utf-8")
    except FileExistsError:
        empty = path.is_file() and not path.stat().st_size
        what = "is empty: another `ask` is at it, or was killed" if empty else "exists and may hold results"
        say(f"casmopolitan: {path} {what}; {'remove it, or ' if empty else ''}give another name")
        raise typer.Exit(USAGE) from None
    empty = True
    try:
        yield file
        empty = not file.tell()
    finally:
        with contextlib.suppress(OSError):  # what a full disk refused once it refuses again
            file.close()
        if empty:
            path.unlink(missing_ok=True)


def tell(
    results: Annotated[Path | None, typer.Argument(help="A CSV file with a column 'value'; empty cells are left out.")] = None,
    study: StudyOption = DEFAULT_FILE,
    trial: Annotated[int | None, typer.Option(min=0, help="One trial's number, with --value.")] = None,
    value: Annotated[str | None, typer.Option(help="Its value, or 'failed'.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Correct values that were told wrongly.")] = False,
    json: Json = False,
) -> None:
    """Tell what came of experiments: a results file, or one trial. Half-filled files are fine; telling twice is harmless."""
    with handled():
        from casmopolitan.study.trials.manual import told
        from casmopolitan.study.trials.spreadsheet import Line, read, value_of

        if (results is None) == (trial is None) or (trial is None) != (value is None):
            hint = " (the study file goes behind --study)" if results is not None and results.suffix in SUFFIXES else ""
            say(f"casmopolitan: give a results file, or --trial NUMBER and --value VALUE{hint}")
            raise typer.Exit(USAGE)
        one = opened(study)
        if trial is not None and value is not None:
            if all(row.number != trial for row in one.rows()):
                raise DataError(f"there is no trial {trial}; `casmopolitan trials` lists them")
            lines = [Line(1, trial, {}, value_of(value))]
        else:
            lines = read(results or Path(), one.space)
            not_read(results or Path(), one)
        found = told(one, str(results or "tell"), lines, replace=replace)
        data = {"told": found.told, "known": found.known, "again": found.again, "corrected": found.corrected}
        if json:
            emit(data)
            return
        parts = [f"{len(found.told)} trial{'' if len(found.told) == 1 else 's'} told"]
        parts += [f"{len(found.corrected)} corrected (the study before is kept as {found.kept!r})"] if found.corrected else []
        parts += [f"{found.known} results from outside added"] if found.known else []
        parts += [f"{found.again} known already"] if found.again else []
        print(", ".join(parts))


def not_read(file: Path, one: OpenStudy) -> None:
    """Say which columns of a results file mean nothing to the study."""
    from casmopolitan.study.trials.spreadsheet import ignored

    extra = ignored(file, one.space)
    if extra:
        say(f"not read: the column{'' if len(extra) == 1 else 's'} {', '.join(map(repr, extra))}")


def cancel(
    numbers: Annotated[list[str] | None, typer.Argument(help="Trials that will not be run.")] = None,
    study: StudyOption = DEFAULT_FILE,
    everything: Annotated[bool, typer.Option("--all", help="Every trial asked for by hand.")] = False,
    failed: Annotated[
        bool, typer.Option("--failed", help="Every trial that failed, say since the program was broken.")
    ] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Take back trials that have ended.")] = False,
    json: Json = False,
) -> None:
    """Give trials back that were asked for by hand, or take back what has ended: they count for nothing and may come again."""
    with handled():
        from casmopolitan.study.trials.manual import given_back, withdrawn

        if bool(numbers) + everything + failed != 1 or (everything and replace):
            say("casmopolitan: give the trials' numbers, or --all, or --failed")
            raise typer.Exit(USAGE)
        odd = [text for text in numbers or () if not text.isdecimal()]
        if odd:
            hint = f"; the study file goes behind --study: `casmopolitan cancel -s {odd[0]} NUMBER`"
            say(f"casmopolitan: {odd[0]!r} is no trial's number{hint if Path(odd[0]).suffix in SUFFIXES else ''}")
            raise typer.Exit(USAGE)
        wanted = [int(text) for text in numbers] if numbers else None
        if failed or replace:
            freed, kept = withdrawn(opened(study), wanted)
        else:
            freed, kept = given_back(opened(study), wanted), ""
        if json:
            emit({"cancelled": freed})
        else:
            before = f" (the study before is kept as {kept!r})" if kept else ""
            print(f"cancelled: {', '.join(map(str, freed)) or ('none has failed' if failed else 'none was out')}{before}")


def import_results(
    file: Annotated[Path, typer.Argument(help="CSV (variables and 'value') or JSON, as `export` writes them.")],
    study: StudyOption = DEFAULT_FILE,
    json: Json = False,
) -> None:
    """Add results from elsewhere as known results: they inform the model and cost no budget. Importing twice is harmless."""
    with handled():
        from casmopolitan.study.trials.export import imported

        one = opened(study, create=True)
        added, known, left_out = imported(one, file)
        if file.suffix.lower() != ".json":
            not_read(file, one)
        if json:
            emit({"added": added, "known": known, "left_out": left_out})
        else:
            print(f"{added} added, {known} known already, {left_out} without a result")
