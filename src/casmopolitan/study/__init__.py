"""Studies: CASMOPOLITAN inside Optuna, on real databases, with as many workers as there are. Needs the extra 'study'.

Everything is loaded at its first use, so that importing this package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from casmopolitan.errors import MissingExtraError

if TYPE_CHECKING:
    from casmopolitan.study.open import open_study
    from casmopolitan.study.sampler.exhaustion import exhausted, stop_when_exhausted
    from casmopolitan.study.sampler.explain import explain
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
    "exhausted": "sampler.exhaustion",
    "explain": "sampler.explain",
    "open_storage": "storage.open",
    "open_study": "open",
    "redacted": "storage.url",
    "stop_when_exhausted": "sampler.exhaustion",
    "storage_error": "storage.retry",
    "suggest": "sampler.search_space",
}
"""Where each public name is defined."""

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
]


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(f"{__name__}.{HOMES[name]}"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] in ("optuna", "sqlalchemy"):
            raise MissingExtraError("casmopolitan.study", "optuna", "study") from None
        raise


def __dir__() -> list[str]:
    """What completion offers, names that are imported when first used among it."""
    return sorted({*globals(), *__all__})
