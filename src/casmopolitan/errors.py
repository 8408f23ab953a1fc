"""Every error that casmopolitan raises on purpose, under one roof."""

from __future__ import annotations

from typing import Any


class CasmopolitanError(Exception):
    """The base of all errors raised by this package."""

    def __reduce__(self) -> tuple[Any, ...]:
        """As it is, without `__init__`: errors travel between processes whatever they are made from."""
        return _revived, (type(self), self.args, self.__dict__)


class SpaceError(CasmopolitanError, ValueError):
    """A search space, or a configuration for it, is not as it should be.

    `problems` lists everything found at once; the message shows the first SHOWN of them.
    """

    SHOWN = 50

    def __init__(self, problems: str | list[str]) -> None:
        self.problems = [problems] if isinstance(problems, str) else list(problems)
        lines = self.problems[: self.SHOWN]
        if len(self.problems) > 1:
            lines = [f"{len(self.problems)} problems:", *lines]
        if len(self.problems) > self.SHOWN:
            lines.append(f"... and {len(self.problems) - self.SHOWN} more in the error's `problems`")
        super().__init__("\n  ".join(lines))


class MisfitError(CasmopolitanError, ValueError):
    """A value does not fit a variable. The text continues a sentence that starts with the variable's name.

    The space catches these and raises one SpaceError that names them all.
    """


class InfeasibleError(SpaceError):
    """The constraint leaves no point that can be found."""


class ConfigError(CasmopolitanError, ValueError):
    """A setting is out of its range; `problems` lists everything found at once."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = list(problems)
        super().__init__("\n  ".join(self.problems))


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
    """A run could not give a result: every trial failed, for instance.

    `optimizer` holds all that was evaluated, to go on with or to save; None where there is none.
    """

    def __init__(self, message: str, optimizer: Any = None) -> None:
        super().__init__(message)
        self.optimizer = optimizer


class MissingExtraError(CasmopolitanError, ImportError):
    """Something optional was asked for whose packages are not installed; the message names the extra to install."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        self.extra = extra
        super().__init__(
            f"{what} needs the package '{package}', which is not installed. "
            f"Install the extra '{extra}': pip install 'casmopolitan[{extra}]'"
        )


class UnknownProblemError(CasmopolitanError, KeyError):
    """No benchmark problem has the name that was asked for."""

    def __str__(self) -> str:
        return str(self.args[0])


def _revived(kind: type[CasmopolitanError], args: tuple[Any, ...], attributes: dict[str, Any]) -> CasmopolitanError:
    """An error that came from another process."""
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error
