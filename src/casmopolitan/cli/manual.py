"""Commands for experiments that are run by hand: ask, tell, cancel, import."""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from casmopolitan.cli.options import (
    DEFAULT_FILE,
    EXHAUSTED,
    USAGE,
    Accept,
    DecimalComma,
    Json,
    StudyFile,
    check_format,
    console,
    emit,
    exit_codes,
    make_ready,
    open_file,
    open_or_create,
    put,
    read_spec,
    say,
    study_argument,
)
from casmopolitan.errors import DataError
from casmopolitan.formatting import counted, did_you_mean
from casmopolitan.goals import Goals, Outcome


def split_study(arguments: Sequence[str] | None) -> tuple[Path, list[str]]:
    """Return the study file, which comes first if it is named, and the other arguments."""
    first, *rest = arguments or [""]
    return (Path(first), rest) if Path(first).suffix == ".toml" else (DEFAULT_FILE, [*(arguments or [])])


def ask(
    study: StudyFile = DEFAULT_FILE,
    n: Annotated[int, typer.Option("-n", "--number", "--n", min=1, metavar="N", help="How many trials.")] = 1,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", "--csv", metavar="FILE", help="A file to fill in, .csv or .xlsx; - is standard output (CSV)."
        ),
    ] = None,
    fixed: Annotated[
        list[str] | None, typer.Option("--fixed", metavar="NAME=VALUE", help="A value that you have decided; may be repeated.")
    ] = None,
    decimal_comma: DecimalComma = None,
    accept_changes: Accept = False,
    json: Json = False,
) -> None:
    """Suggest the next experiments. They are reserved until you `tell` their results or `cancel` them."""
    with exit_codes():
        from casmopolitan.cli.table import print_experiments
        from casmopolitan.spreadsheet.cells import assignments
        from casmopolitan.spreadsheet.files import as_csv, encoded
        from casmopolitan.spreadsheet.table import cells_of
        from casmopolitan.study.trials.manual import cancel_reserved, reserve_trials
        from casmopolitan.study.trials.status import count

        piped, file = str(output) == "-", None if str(output) == "-" else output
        if json and piped:
            say("casmopolitan: --json and --output - both write to standard output; give one of them, or a file")
            raise typer.Exit(USAGE)
        if file is not None:
            check_format(file, ".csv", ".xlsx")
        spec = read_spec(study)
        decided = assignments(spec.space, fixed or [])
        with create_file(file) as opened:
            one = open_or_create(spec, accept_changes)
            make_ready(one)
            rows = reserve_trials(one, n, decided)
            numbers = [row.number for row in rows]
            try:
                table = cells_of(rows, one.space, one.goals)
                if rows and file is not None and opened is not None:
                    opened.write(encoded(table, file, comma=one.comma if decimal_comma is None else decimal_comma))
                    opened.flush()
            except BaseException:
                cancel_reserved(one, numbers)
                raise
        try:
            if json:
                emit([row.to_dict() for row in rows])
            elif rows and piped:
                put(as_csv(table, comma=bool(decimal_comma)))
        except OSError:
            cancel_reserved(one, numbers if file is None else [])
            raise
        if rows and output is None and not json:
            print_experiments(console(), rows, one.space)
            say(
                f"reserved; `casmopolitan tell{study_argument(study)} --trial NUMBER {value_options(one.goals)}` when done, "
                f"`casmopolitan cancel{study_argument(study)} NUMBER` if not"
            )
        if rows and file is not None:
            columns = ", ".join(map(repr, one.goals.order))
            plural = "" if len(one.goals.order) == 1 else "s"
            command = f"casmopolitan tell{study_argument(study)} {shlex.quote(str(file))}"
            then = f"fill in the column{plural} {columns}, then `{command}`"
            say(f"{counted(len(rows), 'trial')} reserved in {file}; {then}")
        total = count(one.trials())
        if rows and total > spec.budget:
            say(f"that makes {counted(total, 'trial')}, more than the budget of {spec.budget}")
        if len(rows) < n:
            only = f"only {len(rows)} of {n}" if rows else "nothing reserved"
            say(f"{only}: every other point has been tried or is reserved, or none was found that the constraint allows")
            raise typer.Exit(EXHAUSTED)


@contextmanager
def create_file(path: Path | None) -> Iterator[BinaryIO | None]:
    """Create a file before anything is reserved; remove it if nothing was written to it."""
    if path is None:
        yield None
        return
    try:
        file = path.open("xb")
    except FileExistsError:
        empty = path.is_file() and not path.stat().st_size
        what = "is empty: another `ask` is writing it, or was killed" if empty else "exists and may hold results"
        say(f"casmopolitan: {path} {what}; {'remove it, or ' if empty else ''}give another name")
        raise typer.Exit(USAGE) from None
    empty = True
    try:
        yield file
        empty = not file.tell()
    finally:
        with contextlib.suppress(OSError):  # closing tries again to write what a full disk refused
            file.close()
        if empty:
            path.unlink(missing_ok=True)


def value_options(goals: Goals) -> str:
    """Return the options of `tell` that give the result of one trial."""
    return " ".join(f"--value {name}=VALUE" for name in goals.order) if goals.named else "--value VALUE"


def inline_result(values: Sequence[str], goals: Goals) -> Outcome:
    """Return the result in the options of `tell`: a value, name=value for every outcome, or 'failed'."""
    from casmopolitan.spreadsheet.outcomes import FAILURES, outcome_of, value_of

    if len(values) == 1 and (goals.outcomes.plain or values[0].strip().casefold() in FAILURES):
        name, _, text = values[0].rpartition("=")
        return value_of(text if name.strip() in ("", *goals.order) else values[0])
    pairs = [text.partition("=")[::2] for text in values if "=" in text]
    given = {name.strip(): text for name, text in pairs}
    problems = [f"got {text!r}; write NAME=VALUE" for text in values if "=" not in text]
    unknown = [name for name in given if name not in goals.order]
    problems += [f"there is no outcome {name!r}.{did_you_mean(name, goals.order)}".rstrip(".") for name in unknown]
    problems += [f"outcome {name!r} is missing" for name in goals.order if name not in given]
    problems += [f"outcome {name!r} is given twice" for name in given if [one for one, _ in pairs].count(name) > 1]
    told: Outcome = None
    if not problems:
        told, wrong = outcome_of({name: given[name] for name in goals.order}, goals)
        problems = [f"outcome {name!r}: {text}" for name, text in wrong.items()]
    if problems:
        raise DataError(f"{'; '.join(problems)}. Give {value_options(goals)}, or --value failed")
    return told


def tell(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[STUDY] [RESULTS]", help="A .csv or .xlsx file with a column per outcome; empty rows are skipped."
        ),
    ] = None,
    trial: Annotated[int | None, typer.Option(min=0, metavar="N", help="The number of one trial, with --value.")] = None,
    value: Annotated[
        list[str] | None, typer.Option(metavar="V", help="Its value, 'failed', or name=value, once per outcome.")
    ] = None,
    comment: Annotated[str, typer.Option(metavar="TEXT", help="A comment on that trial, such as 'boiled over'.")] = "",
    replace: Annotated[bool, typer.Option("--replace", help="Correct values that were told before.")] = False,
    as_run: Annotated[
        bool, typer.Option("--as-run", help="If a row has other settings than its trial, record the row as what was run.")
    ] = False,
    json: Json = False,
) -> None:
    """Record results: a file, or one trial. Files may be half filled, and may be told again."""
    with exit_codes():
        from casmopolitan.spreadsheet.files import TableError
        from casmopolitan.spreadsheet.table import Line, scan
        from casmopolitan.study.trials.manual import record_results

        study, files = split_study(arguments)
        if len(files) != (trial is None) or (trial is None) != (not value) or (comment and trial is None):
            say("casmopolitan: give a results file, or --trial NUMBER and --value VALUE; the study file comes first")
            raise typer.Exit(USAGE)
        one = open_file(study)
        rows = {row.number: row.configuration for row in one.rows()}
        comments: dict[int, str] = {}
        problems: list[str] = []
        if trial is not None and value:
            if trial not in rows:
                raise DataError(f"there is no trial {trial}; `casmopolitan trials` lists them")
            lines = [Line(1, trial, {}, inline_result(value, one.goals), comment.strip())]
        else:
            sheet = scan(Path(files[0]), one.space, rows, one.goals)
            lines, comments, problems = sheet.lines, sheet.comments, sheet.problems
            say_ignored(sheet.ignored)
        try:
            found = record_results(
                one, "".join(files), lines, replace=replace, as_run=as_run, comments=comments, problems=problems
            )
        except TableError as error:
            if files:
                raise
            cells = re.compile(r"^row 1(, column '.*?')?: ")  # there is no file
            raise DataError("; ".join(cells.sub("", text) for text in error.problems)) from None
        if files:
            one.remember_comma(sheet.comma)
        if json:
            emit(vars(found))
            return
        parts = [f"{counted(len(found.told), 'trial')} told"]
        parts += [f"{len(found.corrected)} corrected"] if found.corrected else []
        parts += [f"{counted(found.known, 'result')} from elsewhere added"] if found.known else []
        parts += [f"{found.again} already known"] if found.again else []
        parts += [counted(len(found.commented), "comment")] if found.commented else []
        print(", ".join(parts))
        if found.cancelled:
            late = ", ".join(f"trial {number}" for number in found.cancelled)
            say(f"cancelled before: {late}; each result was added as a new trial, which costs no budget")


def say_ignored(columns: Sequence[str]) -> None:
    """Say which columns of a results file are ignored."""
    if columns:
        say(f"ignored: the column{'' if len(columns) == 1 else 's'} {', '.join(map(repr, columns))}")


def cancel(
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[STUDY] [NUMBERS]...", help="Trials that will not be run.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every trial asked for by hand.")] = False,
    failed: Annotated[bool, typer.Option("--failed", help="Every failed trial, e.g. if the program was broken.")] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Cancel trials that have ended, by number.")] = False,
    json: Json = False,
) -> None:
    """Cancel trials that were asked for by hand, or have ended: they cost no budget and may be suggested again."""
    with exit_codes():
        from casmopolitan.study.trials.correct import withdraw_trials
        from casmopolitan.study.trials.manual import cancel_reserved

        study, numbers = split_study(arguments)
        if bool(numbers) + everything + failed != 1 or (everything and replace):
            say("casmopolitan: give the numbers of trials, or --all, or --failed")
            raise typer.Exit(USAGE)
        odd = [text for text in numbers if not text.isdecimal()]
        if odd:
            hint = "; the study file comes first" if Path(odd[0]).suffix == ".toml" else ""
            say(f"casmopolitan: {odd[0]!r} is not the number of a trial{hint}")
            raise typer.Exit(USAGE)
        wanted = [int(text) for text in numbers] if numbers else None
        done = (withdraw_trials if failed or replace else cancel_reserved)(open_file(study), wanted)
        if json:
            emit({"cancelled": done})
        else:
            print(f"cancelled: {', '.join(map(str, done)) or ('no trial has failed' if failed else 'no trial was reserved')}")


def import_results(
    arguments: Annotated[
        list[str], typer.Argument(metavar="[STUDY] FILE", help="CSV or .xlsx (variables and 'value'), or JSON of `export`.")
    ],
    json: Json = False,
) -> None:
    """Add results from elsewhere: they inform the model and cost no budget. Importing twice is harmless."""
    with exit_codes():
        from casmopolitan.study.trials.export import import_file

        study, files = split_study(arguments)
        if len(files) != 1:
            say("casmopolitan: give one CSV or JSON file with results; the study file comes first")
            raise typer.Exit(USAGE)
        done = import_file(open_file(study, create=True), Path(files[0]))
        say_ignored(done.ignored)
        if json:
            emit({"added": done.added, "known": done.known, "left_out": done.left_out})
        else:
            print(f"{done.added} added, {done.known} already known, {done.left_out} without a result")
