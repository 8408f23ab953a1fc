"""Help that fits a screen and shows an example, and a word where the extra is missing."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import metadata

import pytest
from typer.testing import CliRunner

from casmopolitan.cli.app import COMMANDS, SYNONYMS, app

NAMES = [example.split()[1] for _, _, example in COMMANDS]
SCREEN = 40


@pytest.mark.parametrize("name", NAMES)
def test_help_fits_a_screen_and_shows_an_example(name):
    shown = CliRunner().invoke(app, [name, "--help"], terminal_width=80).output
    assert shown.count("\n") < SCREEN
    assert f"Example: casmopolitan {name}" in " ".join(shown.split())


def test_the_first_page_lists_every_command_in_a_screen(casmopolitan):
    shown = casmopolitan("--help").stdout
    assert shown.count("\n") < SCREEN
    assert all(re.search(rf"^  {name} ", shown, flags=re.MULTILINE) for name in NAMES)
    assert "--install-completion" in shown


@pytest.mark.parametrize("name", [name for name in NAMES if name != "dashboard"])
def test_every_command_that_prints_has_json(name):
    assert "--json" in CliRunner().invoke(app, [name, "--help"]).output


def test_completion_knows_the_commands():
    variables = {"_CASMOPOLITAN_COMPLETE": "complete_bash", "COMP_WORDS": "casmopolitan st", "COMP_CWORD": "1"}
    done = CliRunner().invoke(app, [], prog_name="casmopolitan", env=variables)
    assert "status" in done.output


def test_a_missing_extra_is_named():
    code = "import sys; sys.modules['typer'] = None\nfrom casmopolitan.cli import main\nmain()\n"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "pip install 'casmopolitan[study]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unknown_command_is_a_usage_error(casmopolitan):
    casmopolitan("rnu", code=2)


@pytest.mark.parametrize(("typed", "meant"), [("suggest", "ask"), ("resume", "run"), ("statsu", "status")])
def test_an_unknown_command_is_answered_with_the_one_that_is_meant(casmopolitan, typed, meant):
    assert f"No such command '{typed}'. Did you mean '{meant}'?" in casmopolitan.light(typed, code=2).stderr


def test_synonyms_are_not_commands_themselves():
    assert set(SYNONYMS).isdisjoint(NAMES)
    assert set(SYNONYMS.values()) <= set(NAMES)


def test_the_version_is_printed(casmopolitan):
    assert casmopolitan.light("--version").stdout == f"{metadata.version('casmopolitan')}\n"


@pytest.mark.parametrize("name", NAMES)
def test_help_shows_no_types_of_python(name):
    assert not re.search(r"<(list|path|int)", CliRunner().invoke(app, [name, "--help"], terminal_width=80).output)
