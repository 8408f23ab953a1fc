"""Every error that casmopolitan raises on purpose, under one roof."""

from __future__ import annotations


class CasmopolitanError(Exception):
    """The base of all errors raised by this package."""


class SpaceError(CasmopolitanError, ValueError):
    """A search space, or a configuration for it, is not as it should be; `problems` lists everything found at once."""

    def __init__(self, problems: str | list[str]) -> None:
        self.problems = [problems] if isinstance(problems, str) else list(problems)
        lines = self.problems if len(self.problems) == 1 else [f"{len(self.problems)} problems:", *self.problems]
        super().__init__("\n  ".join(lines))


class InfeasibleError(SpaceError):
    """The constraint leaves no point that can be found."""


class DataError(CasmopolitanError, ValueError):
    """A value, a trial or a file handed back to the optimiser cannot be used."""


class ExhaustedError(CasmopolitanError):
    """Every feasible point of a finite space has been suggested.

    `certain` is False when the space was too large to enumerate and a bounded search found nothing new.
    """

    def __init__(self, message: str, *, evaluated: int, size: int | float, certain: bool) -> None:
        super().__init__(message)
        self.evaluated = evaluated
        self.size = size
        self.certain = certain


class RunError(CasmopolitanError, RuntimeError):
    """A run could not give a result: every trial failed, for instance."""
