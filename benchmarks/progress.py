"""Progress of a run: a bar on a terminal, one line per cell elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TextIO

WIDTH = 24


class Progress:
    def __init__(self, total: int, out: TextIO = sys.stderr):
        self._total, self._out, self._done, self._began = total, out, 0, time.monotonic()
        self._bar = out.isatty()

    def step(self, text: str) -> None:
        self._done += 1
        if self._bar:
            filled = WIDTH * self._done // self._total
            bar = "█" * filled + "·" * (WIDTH - filled)
            end = "\n" if self._done == self._total else ""
            print(f"\r\033[K{bar} {self._done}/{self._total} {self._left()}  {text}", end=end, file=self._out)
        else:
            print(f"{self._done}/{self._total}  {text}", file=self._out)
        self._out.flush()

    def _left(self) -> str:
        seconds = (time.monotonic() - self._began) / self._done * (self._total - self._done)
        return f"{seconds / 60:.0f} min left" if seconds >= 90 else f"{seconds:.0f} s left"
