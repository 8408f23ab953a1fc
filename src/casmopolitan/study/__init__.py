"""Studies: CASMOPOLITAN in Optuna, with databases and many workers. The sampler needs the extra 'sampler', databases 'study'.

Every name is imported when it is first used, so that importing this package is cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from casmopolitan.errors import MissingExtraError

if TYPE_CHECKING:
    from casmopolitan.study.open import open_study
    from casmopolitan.study.report import write_report
    from casmopolitan.study.sampler.explain import exhausted, explain, stop_when_exhausted
    from casmopolitan.study.sampler.sampler import CasmopolitanSampler
    from casmopolitan.study.sampler.search_space import distributions_of, suggest
    from casmopolitan.study.sampler.settings import SettingsWarning
    from casmopolitan.study.storage.open import open_storage
    from casmopolitan.study.storage.retry import StorageError, storage_error
    from casmopolitan.study.storage.url import DEFAULT_URL, redacted

HOMES = {
    "CasmopolitanSampler": "sampler.sampler",
    "DEFAULT_URL": "storage.url",
    "SettingsWarning": "sampler.settings",
    "StorageError": "storage.retry",
    "distributions_of": "sampler.search_space",
    "exhausted": "sampler.explain",
    "explain": "sampler.explain",
    "open_storage": "storage.open",
    "open_study": "open",
    "redacted": "storage.url",
    "stop_when_exhausted": "sampler.explain",
    "storage_error": "storage.retry",
    "suggest": "sampler.search_space",
    "write_report": "report",
}
"""The module of each public name."""

__all__ = [
    "DEFAULT_URL",
    "CasmopolitanSampler",
    "SettingsWarning",
    "StorageError",
    "distributions_of",
    "exhausted",
    "explain",
    "open_storage",
    "open_study",
    "redacted",
    "stop_when_exhausted",
    "storage_error",
    "suggest",
    "write_report",
]


if not TYPE_CHECKING:  # a type checker that saw it would accept every misspelt name

    def __getattr__(name: str) -> object:
        if name not in HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        try:
            return getattr(importlib.import_module(f"{__name__}.{HOMES[name]}"), name)
        except ModuleNotFoundError as error:
            if (error.name or "").split(".")[0] in ("optuna", "sqlalchemy"):
                raise MissingExtraError("casmopolitan.study", "optuna", "study") from None
            if name == "write_report":
                raise MissingExtraError("casmopolitan.study.write_report", error.name or "jinja2", "study") from None
            raise


def __dir__() -> list[str]:
    """Return the names that completion offers, including those that are not imported yet."""
    return sorted({*globals(), *__all__})
