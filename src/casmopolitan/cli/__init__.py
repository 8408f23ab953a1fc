"""The command line. It needs the extra 'study'; `main` explains that if it is not installed."""

from __future__ import annotations

import sys
from io import TextIOWrapper

from casmopolitan.errors import MissingExtraError


def main() -> None:
    """Run the command `casmopolitan`."""
    try:
        from casmopolitan.cli.app import app
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("casmopolitan"):
            raise
        print(f"casmopolitan: {MissingExtraError('the command line', error.name or '?', 'study')}", file=sys.stderr)
        sys.exit(1)
    if isinstance(sys.stdout, TextIOWrapper):  # a character that the terminal cannot show must not end the command
        sys.stdout.reconfigure(errors="replace")
    app(prog_name="casmopolitan")
