"""The command line. Needs the extra 'study'; `main` says so where it is not installed."""

from __future__ import annotations

import sys
from io import TextIOWrapper

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
    if isinstance(sys.stdout, TextIOWrapper):  # a letter that the terminal does not know is no reason to fail
        sys.stdout.reconfigure(errors="replace")
    app(prog_name="casmopolitan")
