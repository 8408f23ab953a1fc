"""Versions of Python and of the packages that a run depends on."""

from __future__ import annotations

import importlib.metadata
import platform


def versions(packages: tuple[str, ...]) -> dict[str, str]:
    """Return casmopolitan's version first, then Python's, the machine, and the version of each package."""
    found = {"casmopolitan": _version("casmopolitan"), "python": platform.python_version()}
    found["machine"] = f"{platform.system()} {platform.machine()}"
    return found | {name: _version(name) for name in packages}


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
