"""One evaluation of the objective, here or in a worker: its value, or why there is none."""

from __future__ import annotations

import os
import sysconfig
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from casmopolitan.errors import DataError
from casmopolitan.formatting import short_repr
from casmopolitan.goals import Goals
from casmopolitan.goals import Outcome as Told
from casmopolitan.trial import Configuration, Failed

Objective = Callable[[Configuration], float | Failed | Mapping[str, float | None]]

FRAMES = 50
"""How many frames of a traceback are kept: an endless recursion has a thousand."""

LIBRARY = sysconfig.get_path("stdlib")
"""The folder of Python's own modules."""

TRACEBACK = "\nTraceback (most recent call last):\n"
"""The start of the traceback in the text of an error."""

Kind = Literal["answer", "none", "odd", "raised"]
"""An objective returned a number, NaN or FAILED; returned None; returned something else; or raised an exception."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of one evaluation, sent back by a worker: a value or a dict of outcomes, or None and the reason."""

    value: Told
    error: str | None
    seconds: float | None
    kind: Kind = "answer"
    origin: str = ""
    """The type of an exception and the place that raised it: equal for all trials that one mistake makes fail."""


def evaluate(
    objective: Objective, goals: Goals, catch: tuple[type[Exception], ...], configuration: Configuration, token: str = ""
) -> Outcome:
    """Evaluate once, here or in a worker; exceptions in `catch` become text, which can always be pickled.

    An executor that stores results by function and arguments evaluates again if the token is another one.
    """
    began = time.perf_counter()
    try:
        answer = objective(configuration)
    except catch as caught:
        return Outcome(
            None, describe(caught), time.perf_counter() - began, "raised", f"{type(caught).__name__}{_place(_frames(caught))}"
        )
    seconds = time.perf_counter() - began
    try:
        value = goals.read(answer)
    except DataError as error:
        if not issubclass(DataError, catch):
            raise
        text = f"the objective returned {short_repr(answer, 200)}: {error}"
        return Outcome(None, text, seconds, "none" if answer is None else "odd")
    return Outcome(value, None if value is not None else f"the objective returned {short_repr(answer, 200)}", seconds)


def describe(error: BaseException) -> str:
    """Return type, message and place of an exception, then its traceback in the objective, even if its `__str__` fails.

    The place is the last line outside installed packages.
    """
    try:
        message = str(error)
    except Exception:
        message = "its message cannot be shown"
    trace = error.__traceback__.tb_next if error.__traceback__ else None  # the first frame is `evaluate`
    lines = traceback.format_exception(type(error), error, trace, limit=-FRAMES) if trace else []
    frames = _frames(error)
    text = f"{type(error).__name__}: {message}{_place([one for one in frames if not _is_library(one.filename)] or frames)}"
    return f"{text}\n{''.join(lines).rstrip()}" if lines else text


def headline(text: str) -> str:
    """Return the text of an error without its traceback."""
    return text.partition(TRACEBACK)[0]


def _frames(error: BaseException) -> list[traceback.FrameSummary]:
    """Return the frames of an exception from the objective on; the first one is `evaluate`."""
    return list(traceback.extract_tb(error.__traceback__))[1:]


def _is_library(file: str) -> bool:
    """Return whether a file belongs to Python or to an installed package: users look for the line in their own code."""
    packages = {"site-packages", "dist-packages"}
    return not packages.isdisjoint(Path(file).parts) or file.startswith((f"{LIBRARY}{os.sep}", "<frozen "))


def _place(frames: Sequence[traceback.FrameSummary]) -> str:
    """Return file and line of the last frame; nothing if calling the objective itself raised the exception."""
    return f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""


class InlineExecutor(Executor):
    """An executor that evaluates at once in the calling thread; Ctrl-C is not caught."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call fn(*args, **kwargs) and return its finished future."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future
