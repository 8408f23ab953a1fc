"""Write the table of settings in docs/paper.md from the docstrings of Config: python docs/settings_table.py"""

from __future__ import annotations

import ast
import inspect
import itertools
from pathlib import Path

import casmopolitan as cas

PAGE = Path(__file__).parent / "paper.md"
BEGIN, END = "<!-- settings: begin -->", "<!-- settings: end -->"


def docstrings() -> dict[str, str]:
    """Return the docstring under each field of Config, in order."""
    body = ast.parse(inspect.getsource(cas.Config)).body[0].body
    found = {}
    for field, text in itertools.pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            found[field.target.id] = " ".join(str(text.value.value).split())
    return found


def shown(value: object) -> str:
    """Return a value as Python writes it, long fractions shortened."""
    return f"`{value:.6g}`" if isinstance(value, float) else f"`{value!r}`"


def table() -> str:
    """Return one row per setting: its value in the three presets and its docstring."""
    lines = ["| setting | `PAPER` | `AUTHORS_CODE` | `DEFAULT` | what it is |", "|---|---|---|---|---|"]
    for name, text in docstrings().items():
        paper, *others = (getattr(preset, name) for preset in (cas.PAPER, cas.AUTHORS_CODE, cas.DEFAULT))
        cells = [shown(paper), *(shown(other) if other != paper else "–" for other in others)]
        lines.append(f"| `{name}` | {' | '.join(cells)} | {text.replace('|', '∣')} |")
    return "\n".join(lines)


def page(text: str) -> str:
    """Return the page with an up-to-date table."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
