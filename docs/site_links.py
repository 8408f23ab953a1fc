"""For the site: links to files outside docs/, which only a checkout has, become plain words."""

from __future__ import annotations

import re
from typing import Any

OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./[^)]*\)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by mkdocs for every page."""
    return OUTSIDE.sub(r"\1", markdown)
