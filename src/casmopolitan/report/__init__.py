"""The HTML report of a run: one page that opens offline, with SVG charts and a table that can be sorted and filtered.

The extra `report` installs jinja2, which is loaded when a report is written. `casmopolitan.study.write_report` writes the
report of an Optuna study, and `casmopolitan report` that of a study file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from casmopolitan.errors import MissingExtraError
from casmopolitan.files import write_atomically
from casmopolitan.optimizer import Optimizer
from casmopolitan.run.result import Result

__all__ = ["write"]


def write(
    source: Result | Optimizer,
    path: str | os.PathLike[str],
    *,
    name: str = "Report",
    description: str = "",
    baseline: Mapping[str, Any] | None = None,
) -> Path:
    """Write the report of a run as an HTML page; a file at the same place is replaced.

    The source does not change: the next suggestions are those of a copy.

    Args:
        source: A result, or an optimiser.
        path: The file.
        name: The title of the page.
        description: A text below the title.
        baseline: The configuration to compare the best one with; by default the first of `initial`.

    Returns:
        The path of the file.

    Raises:
        DataError: If `source` is neither a Result nor an Optimizer.
        MissingExtraError: If jinja2 is not installed.
    """
    try:
        import jinja2  # noqa: F401
    except ImportError:
        raise MissingExtraError("casmopolitan.report", "jinja2", "report") from None
    from casmopolitan.report.run import page_of

    file = Path(path)
    write_atomically(page_of(source, name, description, baseline), file)
    return file
