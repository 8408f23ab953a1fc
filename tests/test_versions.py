"""Versions of the packages that a study depends on."""

from __future__ import annotations

from importlib import metadata

from casmopolitan.versions import versions


def test_our_own_version_comes_first_and_a_missing_package_is_named():
    found = versions(("numpy", "no-such-package"))
    assert list(found) == ["casmopolitan", "python", "machine", "numpy", "no-such-package"]
    assert found["casmopolitan"] == metadata.version("casmopolitan")
    assert found["no-such-package"] == "not installed"
