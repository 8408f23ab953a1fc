"""The progress bar on stderr: trials, best value, failures, time left."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from typing import TextIO

from casmopolitan.formatting import duration

TENTHS = 10
"""If stderr is not a terminal, a plain line is written at each tenth of the budget."""


def is_notebook(stream: object) -> bool:
    """Return whether a stream is shown in a notebook, where a line can be rewritten as on a terminal."""
    return type(stream).__module__.partition(".")[0] == "ipykernel"


def remaining(done: int, budget: int, elapsed: float, timeout: float | None) -> float | None:
    """Return the seconds left at the pace so far, at most until the timeout; None if nothing is known yet."""
    guesses = [] if timeout is None else [max(timeout - elapsed, 0.0)]
    if done:
        guesses.append(elapsed / done * (budget - done))
    return min(guesses, default=None)


@dataclass
class ProgressBar:
    """One line, rewritten in place on a terminal and in a notebook; `shown=None` shows it only there."""

    budget: int
    timeout: float | None = None
    shown: bool | None = None
    stream: TextIO | None = None

    def __post_init__(self) -> None:
        self._out = sys.stderr if self.stream is None else self.stream
        self._terminal = bool(getattr(self._out, "isatty", lambda: False)()) or is_notebook(self._out)
        self._visible = self._terminal if self.shown is None else self.shown
        self._tenth = 0
        self._width = 0

    @property
    def visible(self) -> bool:
        """Whether the bar is shown."""
        return self._visible

    def update(self, done: int, best: str, failed: int, elapsed: float) -> None:
        """Show the current state of the run."""
        if not self._visible:
            return
        line = self.line(done, best, failed, elapsed)
        if self._terminal:
            line = line[: shutil.get_terminal_size().columns - 1]
            self._out.write("\r" + line.ljust(self._width))
            self._width = len(line)
            self._out.flush()
            return
        tenth = TENTHS * done // self.budget
        if tenth > self._tenth:
            self._tenth = tenth
            self._out.write(line + "\n")
            self._out.flush()

    def line(self, done: int, best: str, failed: int, elapsed: float) -> str:
        """Return the text of the bar; `best` says how good the results are so far."""
        full, empty = ("━", "╌") if "utf" in (getattr(self._out, "encoding", None) or "").lower() else ("#", ".")
        filled = 24 * done // self.budget
        parts = [f"{full * filled}{empty * (24 - filled)} {done}/{self.budget}"]
        parts.append(best)
        if failed:
            parts.append(f"{failed} failed")
        left = remaining(done, self.budget, elapsed, self.timeout)
        if done >= self.budget:
            parts.append(f"in {duration(elapsed)}")
        else:
            parts.append(f"{duration(elapsed)} elapsed" if left is None else f"{duration(left)} left")
        return "  ".join(parts)

    def close(self) -> None:
        """End the last line, so that it stays visible."""
        if self._visible and self._terminal and self._width:
            self._out.write("\n")
            self._out.flush()
