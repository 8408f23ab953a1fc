"""The command line. Needs the extra 'study'; `main` says so where it is not installed."""

from __future__ import annotations

import sys

from casmopolitan.errors import MissingExtraError


def main() -> None:
    """The command `casmopolitan`."""
    try:
        from casmopolitan.cli.app import app
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("casmopolitan"):
            raise
        print(f"casmopolitan: {MissingExtraError('the command line', error.name or '?', 'study')}", file=sys.stderr)
        sys.exit(1)
    app(prog_name="casmopolitan")
