"""Every Python block of the documentation runs as pasted, and every link leads somewhere."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

import casmopolitan as cas
from benchmarks import ledger, readme
from benchmarks.__main__ import RECORDS, RESULTS
from benchmarks.series import series_of

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = [
    pytest.param(block, id=f"{page.name}-{k}")
    for page in PAGES
    for k, block in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL))
]


@pytest.mark.parametrize("block", BLOCKS)
def test_a_python_block_runs_as_pasted_and_prints_something(block, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "block", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out.strip()


def test_the_readme_is_short_and_shows_three_ways_in_python():
    assert len(README.splitlines()) <= 120
    assert "CasmopolitanSampler" in README
    assert sum(block.id.startswith("README") for block in BLOCKS) == 3


def test_the_readme_shows_what_its_quick_start_prints(capsys):
    block, shown = re.search(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL).groups()
    exec(compile(block, "quick start", "exec"), {"__name__": "__main__"})
    printed = capsys.readouterr().out
    assert masked(printed) == masked(shown)


def masked(text):
    """The words of a summary, its numbers to two digits, without the seconds and the number of the best trial."""
    text = re.sub(r"\(trial \d+\)|in [\d.]+ s", "", text)
    return [f"{float(word):.2g}" if re.fullmatch(r"[\d.e-]+", word) else word for word in text.split()]


def test_the_readmes_results_are_those_of_the_benchmarks():
    problems = series_of(record for name in RECORDS for record in ledger.read(ROOT / RESULTS / f"{name}.jsonl"))
    for rows in readme.TABLES:
        assert f"\n{readme.table(rows, problems)}\n" in README, "python -m benchmarks report"


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if target.startswith("http"):
            continue
        path, _, anchor = target.partition("#")
        goal = (page.parent / path).resolve() if path else page
        assert goal.exists(), f"{page.name} links to {target}, which does not exist"
        assert not anchor or anchor in anchors(goal), f"{page.name} links to {target}, which has no such heading"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_picture_is_described(page):
    assert not re.findall(r"!\[\]\(", page.read_text("utf-8"))


def test_every_departure_of_the_default_is_on_the_page_of_decisions():
    page = (ROOT / "docs" / "decisions.md").read_text("utf-8")
    rows = {name: values for name, *values in re.findall(r"^\| `(\w+)` \| `([^`]+)` \| `([^`]+)` \|", page, flags=re.MULTILINE)}
    different = {
        field.name: [repr(getattr(cas.DEFAULT, field.name)), repr(getattr(cas.PAPER, field.name))]
        for field in fields(cas.Config)
        if getattr(cas.DEFAULT, field.name) != getattr(cas.PAPER, field.name)
    }
    assert rows == different


def test_contributing_names_every_room():
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = page.partition("| layer | holds |")[2].partition("\n\n")[0]
    package = ROOT / "src" / "casmopolitan"
    rooms = {path.stem for path in package.iterdir() if path.stem != "__pycache__" and path.suffix in (".py", "")}
    missing = rooms - {"__init__", "__main__"} - set(re.findall(r"`(\w+)/?`", table))
    assert not missing, f"CONTRIBUTING.md does not say what {sorted(missing)} holds"
