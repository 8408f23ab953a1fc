"""For the site: turn links to files outside docs/ into plain text."""

from __future__ import annotations

import re
from typing import Any

OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./[^)]*\)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Return the page without links out of docs/. mkdocs calls this for every page."""
    return OUTSIDE.sub(r"\1", markdown)
