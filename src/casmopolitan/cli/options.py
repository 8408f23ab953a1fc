"""What all commands share: the study file, exit codes, errors in one line, JSON for machines."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from casmopolitan.errors import CasmopolitanError

if TYPE_CHECKING:
    from casmopolitan.study.file.schema import Spec
    from casmopolitan.study.trials.open import OpenStudy
    from casmopolitan.study.trials.row import TrialRow

DONE, FAILED, USAGE, CHANGED, STORAGE, EXHAUSTED, INTERRUPTED, TERMINATED = 0, 1, 2, 3, 4, 5, 130, 143
"""Exit codes; `docs/command-line.md` says what each means."""

StudyFile = Annotated[Path, typer.Argument(metavar="STUDY", help="The study file (TOML).", show_default=True)]
StudyOption = Annotated[Path, typer.Option("--study", "-s", help="The study file (TOML).")]
Accept = Annotated[bool, typer.Option("--accept-changes", help="Continue with a changed space or settings; no trial is lost.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]

DEFAULT_FILE = Path("study.toml")


def console() -> Console:
    """Standard output; without a terminal nothing is cut at its width."""
    return Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else 200, soft_wrap=not sys.stdout.isatty())


def say(text: str) -> None:
    """A line on standard error: progress, notes, errors. Nothing fails because nobody can read it."""
    with contextlib.suppress(OSError, ValueError):
        print(text, file=sys.stderr, flush=True)


def emit(data: Any) -> None:
    """Data as JSON on standard output."""
    put(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False, default=str) + "\n")


def put(text: str) -> None:
    """Text for machines on standard output: UTF-8, whatever the terminal's letters are."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
    else:
        sys.stdout.write(text)
    sys.stdout.flush()


@contextmanager
def handled() -> Iterator[None]:
    """Errors as one message and an exit code; a broken pipe as silence. CASMOPOLITAN_DEBUG=1 shows where an error came from."""
    from casmopolitan.study.file.diff import ChangedError
    from casmopolitan.study.file.load import SpecError
    from casmopolitan.study.storage.retry import StorageError

    try:
        with ended_by_signals():
            yield
    except SpecError as error:
        code, text = USAGE, str(error)
    except ChangedError as error:
        code, text = CHANGED, str(error)
    except StorageError as error:
        code, text = STORAGE, str(error)
    except CasmopolitanError as error:
        code, text = FAILED, str(error)
    except BrokenPipeError:
        sys.stderr.close()
        raise typer.Exit(DONE) from None
    except OSError as error:
        code, text = FAILED, worded(error)
    except (typer.Exit, typer.Abort):
        raise
    except Exception as error:
        code = FAILED
        text = f"{type(error).__name__}: {error}. This should not happen; CASMOPOLITAN_DEBUG=1 shows where it comes from"
        if os.environ.get("CASMOPOLITAN_DEBUG"):
            raise
    else:
        return
    say(f"casmopolitan: {text}")
    raise typer.Exit(code)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """A signal that ends the command ends it as Ctrl-C does, so that what it has begun is undone; but for nohup's."""

    def end(number: int, _: FrameType | None) -> None:
        raise typer.Exit(128 + number)

    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    numbers = [number for name in names if signal.getsignal(number := getattr(signal, name)) == signal.SIG_DFL]
    if threading.current_thread() is not threading.main_thread():
        numbers = []
    before = {number: signal.signal(number, end) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def worded(error: OSError) -> str:
    """What the operating system refused, in one line."""
    what = error.strerror or str(error)
    return f"{error.filename}: {what}" if error.filename is not None else what


def specified(file: Path, *, whole: bool = True) -> Spec:
    """The study that a file describes; `whole`, with the files and folders that a trial needs."""
    from casmopolitan.study.file.load import load

    return load(file, whole=whole)


def opened(file: Path, *, create: bool = False) -> OpenStudy:
    """Open the study of a file, to look at it or to work on it by hand."""
    from casmopolitan.study.trials.open import open_recorded, open_spec

    spec = specified(file, whole=False)
    if create:
        return open_spec(spec, create=True)
    found, differences = open_recorded(spec)
    if differences:
        changes = "\n  ".join(differences)
        say(f"{file} has changed; study {spec.name!r} is shown with the space and settings in the database:\n  {changes}")
    return found


def open_or_create(spec: Spec, accept: bool, heartbeat: int | None = None) -> OpenStudy:
    """Open the study of a file, or create it; if the file has changed and `accept` is set, record the changes."""
    from casmopolitan.study.file.diff import ChangedError
    from casmopolitan.study.trials.open import accept_changes, open_spec

    try:
        return open_spec(spec, create=True, heartbeat=heartbeat)
    except ChangedError:
        if not accept:
            raise
    study, differences = accept_changes(spec, heartbeat)
    if differences:
        changes = "\n  ".join(differences)
        say(f"changes of study {spec.name!r} accepted:\n  {changes}")
    outside = [str(row.number) for row in study.rows() if row.outside]
    if outside:
        say(f"outside the present space, kept but not used by the model: trial {', '.join(outside)}")
    return study


def make_ready(study: OpenStudy) -> None:
    """Prepare the next trial: record known results, queue initial configurations, release stale trials."""
    from casmopolitan.study.execution.liveness import release_stale_trials
    from casmopolitan.study.trials.known import add_known_of_file, cancel_misfits, enqueue_initial

    for one in add_known_of_file(study):
        say(f"known: {one}; the study keeps its value, and `casmopolitan tell --replace` corrects it")
    enqueue_initial(study)
    stale = release_stale_trials(study.study)
    if stale:
        say(f"released {', '.join(f'trial {n}' for n in stale)}, left by a run that was killed; they are tried again")
    misfits = cancel_misfits(study) if study.was_changed else []
    if misfits:
        say(f"cancelled {', '.join(f'trial {n}' for n in misfits)}: queued with values outside the present space")


def summary(study: OpenStudy, rows: Sequence[TrialRow]) -> dict[str, Any]:
    """Where a study stands, as data."""
    from casmopolitan.study.storage.url import redacted

    states = ("complete", "failed", "running", "asked", "waiting", "cancelled")
    best = study.best_first(rows)
    regions = [row.explanation["region"] for row in rows if row.explanation.get("region") is not None]
    return {
        "study": study.spec.name,
        "direction": study.spec.direction,
        "storage": redacted(study.url),
        "budget": study.spec.budget,
        "counted": sum(row.counts for row in rows),
        "known": sum(row.known for row in rows),
        **{state: sum(row.state == state for row in rows) for state in states},
        "restarts": max(regions, default=0),
        "best": best[0].to_dict() if best else None,
    }
