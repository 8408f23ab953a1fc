"""docs/paper.md says the truth: its tests exist, its table of settings is in step, its ledger is whole."""

from __future__ import annotations

import ast
import re
import runpy
from dataclasses import fields
from pathlib import Path

import casmopolitan as cas

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "paper.md"
TEXT = PAGE.read_text("utf-8")


def test_every_test_named_exists():
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", TEXT)
    assert len(named) >= 14
    for path, name in named:
        tree = ast.parse((ROOT / path).read_text("utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, f"{path} has no {name}"


def test_every_test_of_the_paper_is_on_the_page():
    missing = [path.name for path in (ROOT / "tests" / "paper").glob("test_*.py") if path.name not in TEXT]
    assert not missing, f"docs/paper.md does not mention {missing}"


def test_the_table_of_settings_is_in_step():
    tool = runpy.run_path(str(ROOT / "docs" / "settings_table.py"))
    assert list(tool["docstrings"]()) == [field.name for field in fields(cas.Config)]
    assert tool["page"](TEXT) == TEXT, "docs/paper.md is behind config.py or presets.py: run python docs/settings_table.py"


def test_the_numbers_are_those_of_the_results_files():
    tool = runpy.run_path(str(ROOT / "docs" / "paper_numbers.py"))
    assert tool["page"](TEXT) == TEXT, "docs/paper.md is behind benchmarks/results: run python docs/paper_numbers.py"
    record = {"evaluations": 90, "best": [[1, 9.0], [30, 5.0], [80, 2.0]]}
    assert [tool["best_at"](record, n) for n in (29, 80, 91)] == [9.0, 2.0, None]
    assert tool["shown"]([1.0, 3.0]) == "2.000 ± 1.000"
    assert tool["shown"]([1.0]) == "1.000"


def test_the_ledger_holds_all_forty_six_differences():
    numbered = {int(n) for cell in re.findall(r"^\| ([\d, ]+) \|", TEXT, flags=re.MULTILINE) for n in cell.split(",")}
    algorithm_lines = set(range(1, 15))
    ledger = TEXT.partition("## The ledger of readings")[2]
    listed = {int(n) for cell in re.findall(r"^\| ([\d, ]+) \|", ledger, flags=re.MULTILINE) for n in cell.split(",")}
    assert listed == set(range(1, 47))
    assert numbered >= listed | algorithm_lines - {11}


def test_the_functions_of_algorithm_1_exist():
    table = TEXT.partition("### Algorithm 1")[2].partition("### Theory")[0]
    rows = re.findall(r"^\| \d+ \| [^|]* \| ([^|]*) \|", table, flags=re.MULTILINE)
    named = {name for cell in rows for name in re.findall(r"`(\w+)`", cell)}
    source = "\n".join(path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))
    missing = [name for name in named if not re.search(rf"^\s*(def|class) {name}\b", source, flags=re.MULTILINE)]
    assert len(named) >= 10
    assert not missing, f"docs/paper.md names {missing}, which the code does not have"


def test_every_name_on_the_page_of_notation_exists():
    page = (ROOT / "docs" / "notation.md").read_text("utf-8")
    source = "\n".join(path.read_text("utf-8") for path in (ROOT / "src" / "casmopolitan").rglob("*.py"))
    cells = [cell for line in page.splitlines() if line.startswith("|") for cell in line.split("|")[1:3]]
    names = {name for cell in cells for code in re.findall(r"`([^`]+)`", cell) for name in re.findall(r"\w+", code)}
    assert len(names) > 30
    assert not [name for name in names if not re.search(rf"\b{name}\b", source)]
