"""Studies: CASMOPOLITAN inside Optuna, on real databases, with as many workers as there are. Needs the extra 'study'.

Everything is loaded at its first use, so that importing this package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from casmopolitan.errors import MissingExtraError

if TYPE_CHECKING:
    from casmopolitan.study.distributions import distributions_of, suggest
    from casmopolitan.study.exhaustion import exhausted, stop_when_exhausted
    from casmopolitan.study.explanation import explain
    from casmopolitan.study.patience import StorageError, storage_error
    from casmopolitan.study.sampler import CasmopolitanSampler
    from casmopolitan.study.settings import SettingsWarning
    from casmopolitan.study.storage import open_storage, open_study
    from casmopolitan.study.urls import DEFAULT_URL, redacted

HOMES = {
    "CasmopolitanSampler": "sampler",
    "DEFAULT_URL": "urls",
    "SettingsWarning": "settings",
    "StorageError": "patience",
    "distributions_of": "distributions",
    "exhausted": "exhaustion",
    "explain": "explanation",
    "open_storage": "storage",
    "open_study": "storage",
    "redacted": "urls",
    "stop_when_exhausted": "exhaustion",
    "storage_error": "patience",
    "suggest": "distributions",
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
