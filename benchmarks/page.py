"""A page as a list of blocks, written as Markdown with its figures beside it, or as one HTML file that holds them."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .88rem; display: block; overflow-x: auto; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #8884; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
img { max-width: 100%; background: #fff; border-radius: 4px; }
h2 { margin-top: 2.5rem; }
code { font-size: .85em; overflow-wrap: anywhere; }
"""


@dataclass(frozen=True)
class Heading:
    text: str
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    text: str


@dataclass(frozen=True)
class Table:
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Figure:
    name: str
    caption: str
    png: bytes


Block = Heading | Paragraph | Table | Figure


def markdown(blocks: Sequence[Block], images: str) -> str:
    """Return the page as Markdown. images: the folder of the figures, relative to the page."""
    return "\n\n".join(_markdown(block, images) for block in blocks) + "\n"


def html(blocks: Sequence[Block], title: str) -> str:
    body = "\n".join(map(_html, blocks))
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
    return f'<!doctype html>\n<html lang="en"><head>{head}<style>{STYLE}</style></head>\n<body>\n{body}\n</body></html>\n'


def _markdown(block: Block, images: str) -> str:
    match block:
        case Heading(text, level):
            return f"{'#' * level} {text}"
        case Paragraph(text):
            return text
        case Figure(name, caption, _):
            return f"![{caption}]({images}/{name}.png)"
        case Table(head, rows):
            rule = [":--", *["--:"] * (len(head) - 1)]
            return "\n".join(f"| {' | '.join(cells)} |" for cells in [head, rule, *rows])


def _html(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"<h{level}>{_inline(text)}</h{level}>"
        case Paragraph(text):
            return f"<p>{_inline(text)}</p>"
        case Figure(_, caption, png):
            return f'<img alt="{escape(caption)}" src="data:image/png;base64,{base64.b64encode(png).decode()}">'
        case Table(head, rows):
            lines = [_row("th", head), *(_row("td", row) for row in rows)]
            return f"<table>{''.join(lines)}</table>"


def _row(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{_inline(cell)}</{tag}>' for cell in cells)}</tr>"


def _inline(text: str) -> str:
    """Return HTML for the two marks that the report uses: **bold** and `code`."""
    text = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", escape(text, quote=False))
    return re.sub(r"`(.+?)`", r"<code>\1</code>", text)
