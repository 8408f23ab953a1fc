"""The how-tos do what they say: their files are written, their commands typed, in the order of the page."""

from __future__ import annotations

import json
import re
import runpy
import shlex
import shutil
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from casmopolitan.cli import options
from casmopolitan.cli.app import app
from casmopolitan.study.file.schema import PRESETS

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [path for path in sorted(DOCS.glob("how-to-*.md")) if "```console" in path.read_text("utf-8")]
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```', flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_how_to_works_as_written(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    typed = 0
    for kind, title, text in BLOCK.findall(page.read_text("utf-8")):
        if title:
            (tmp_path / title).write_text(text, "utf-8")
        elif kind == "console":
            for line in re.findall(r"^\$ casmopolitan (.*)$", text, flags=re.MULTILINE):
                done = CliRunner().invoke(app, shlex.split(line))
                assert done.exit_code == 0, f"{line}\n{done.output}\n{done.exception!r}"
                typed += 1
    assert typed >= 2


def test_every_block_is_executed_or_is_plain_text():
    for page in [DOCS.parent / "README.md", *DOCS.glob("*.md")]:
        for kind, title, _ in BLOCK.findall(page.read_text("utf-8")):
            known = kind in ("python", "console", "text", "bibtex", "bash", "mermaid") or (
                title and kind in ("toml", "py", "csv")
            )
            assert known, f"{page.name} has a block of {kind} that no test looks at"


def test_the_transcript_is_what_the_script_makes(monkeypatch):
    tool = runpy.run_path(str(DOCS / "transcript.py"))
    execute = tool["execute"]

    def cheaper(arguments, folder):
        """The first command as the script executes it, the others without processes of their own."""
        if arguments[1] == "init":
            return execute(arguments, folder)
        monkeypatch.chdir(folder)
        done = CliRunner().invoke(app, arguments[1:])
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return done.output, done.exit_code

    monkeypatch.setenv("COLUMNS", "110")
    monkeypatch.setitem(tool["transcript"].__globals__, "execute", cheaper)
    made, kept = tool["transcript"](), (DOCS / "transcript.md").read_text("utf-8")
    for pattern in (r"^\$ .*$", r"^\(exit code .*$", r"^```text$", r"^report: .*$", r"^  [~+-] .*$", r"^wrote .*$"):
        found = [re.findall(pattern, text, flags=re.MULTILINE) for text in (made, kept)]
        assert found[0] == found[1], "docs/transcript.md is behind: run python docs/transcript.py"
    assert "Traceback" not in made


def test_the_exit_codes_are_those_of_the_page():
    page = (DOCS / "command-line.md").read_text("utf-8").partition("## Exit codes")[2]
    listed = {int(code) for cell in re.findall(r"^\| ([\d, ]+) \|", page, flags=re.MULTILINE) for code in cell.split(",")}
    names = ("DONE", "FAILED", "USAGE", "CHANGED", "STORAGE", "EXHAUSTED", "INTERRUPTED", "TERMINATED")
    assert listed == {getattr(options, name) for name in names}


def test_the_options_are_those_of_the_page():
    page = (DOCS / "command-line.md").read_text("utf-8").partition("## Options")[2].partition("## The study file")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*)$", page, flags=re.MULTILINE))
    commands = get_command(app).commands
    assert list(rows) == list(commands)
    for name, command in commands.items():
        options = {word for one in command.params for word in (*one.opts, *one.secondary_opts) if word.startswith("-")}
        assert set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", rows[name])) == options - {"--json", "--help", "-h"}, name
        assert ("--json" in options) == (name != "dashboard")


def test_the_presets_are_those_of_the_page():
    line = re.search(r"^\| `preset`, .*$", (DOCS / "command-line.md").read_text("utf-8"), flags=re.MULTILINE)
    assert line is not None
    assert re.findall(r'`"([^"]+)"`', line[0]) == list(PRESETS)


def test_the_example_of_a_study_runs(tmp_path, monkeypatch):
    shutil.copytree(DOCS.parent / "examples" / "70_study", tmp_path / "study", ignore=shutil.ignore_patterns("*.db*", "*.html"))
    monkeypatch.chdir(tmp_path / "study")
    done = CliRunner().invoke(app, ["run", "study.toml", "--budget", "10", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["complete"] == 10
