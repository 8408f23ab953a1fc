"""All errors that casmopolitan raises on purpose."""

from __future__ import annotations

from typing import Any


class CasmopolitanError(Exception):
    """The base class of all errors of this package."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the attributes instead of calling `__init__`, so that every error can be sent between processes."""
        return _unpickled, (type(self), self.args, self.__dict__)


class SpaceError(CasmopolitanError, ValueError):
    """A search space or a configuration is invalid.

    Args:
        problems: One text, or all problems that were found. The message shows the first 50.

    Attributes:
        problems: All problems that were found.
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
    """No point that satisfies the constraint was found."""


class ConfigError(CasmopolitanError, ValueError):
    """Settings or arguments are invalid.

    Args:
        problems: All problems that were found.

    Attributes:
        problems: All problems that were found.
    """

    def __init__(self, problems: list[str]) -> None:
        self.problems = list(problems)
        super().__init__("\n  ".join(self.problems))


class DataError(CasmopolitanError, ValueError):
    """A value, a trial or a file that was passed to the optimiser cannot be used."""


class ExhaustedError(CasmopolitanError):
    """All feasible points of a finite space have been suggested.

    Args:
        message: The text of the error.
        evaluated: How many points were suggested.
        size: The number of points of the space.
        certain: Whether no point is left. False if the space is too large to enumerate and a bounded search found none.

    Attributes:
        evaluated: How many points were suggested.
        size: The number of points of the space.
        certain: Whether no point is left.
    """

    def __init__(self, message: str, *, evaluated: int, size: int | float, certain: bool) -> None:
        super().__init__(message)
        self.evaluated = evaluated
        self.size = size
        self.certain = certain


class RunError(CasmopolitanError, RuntimeError):
    """A run has no result, for example because every trial failed.

    Args:
        message: The text of the error.
        optimizer: The optimiser of the run.

    Attributes:
        optimizer: The optimiser with all evaluations, to resume or to save; None if there is none.
    """

    def __init__(self, message: str, optimizer: Any = None) -> None:
        super().__init__(message)
        self.optimizer = optimizer


class MissingExtraError(CasmopolitanError, ImportError):
    """An optional feature needs packages that are not installed; the message names the extra to install.

    Args:
        what: The feature.
        package: The missing package.
        extra: The extra of casmopolitan that contains it.

    Attributes:
        extra: The extra to install.
    """

    def __init__(self, what: str, package: str, extra: str) -> None:
        self.extra = extra
        super().__init__(
            f"{what} needs the package '{package}', which is not installed. "
            f"Install the extra '{extra}': pip install 'casmopolitan[{extra}]'"
        )


class UnknownProblemError(CasmopolitanError, KeyError):
    """No benchmark problem has this name."""

    def __str__(self) -> str:
        return str(self.args[0])


def _unpickled(kind: type[CasmopolitanError], args: tuple[Any, ...], attributes: dict[str, Any]) -> CasmopolitanError:
    """Return an error from its pickled parts."""
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error
