"""docs/reference.md names all there is: public names, arguments, fields, methods, keys."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from pathlib import Path

import pytest

import casmopolitan as cas
from casmopolitan.run.result import WHY

TEXT = (Path(__file__).parents[2] / "docs" / "reference.md").read_text("utf-8")
WORDS = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`\n]+)`", TEXT))))


def members(kind):
    return {name for name in dir(kind) if not name.startswith("_")} | {field.name for field in fields(kind)}


def test_every_public_name_is_there():
    assert set(cas.__all__) <= WORDS


@pytest.mark.parametrize("name", ["minimize", "Optimizer"])
def test_every_argument_is_there(name):
    assert set(inspect.signature(getattr(cas, name)).parameters) <= WORDS


@pytest.mark.parametrize("name", ["Result", "Trial"])
def test_every_field_is_there(name):
    assert members(getattr(cas, name)) <= WORDS


@pytest.mark.parametrize("name", ["Optimizer", "Space"])
def test_every_method_is_there(name):
    public = {word for word in dir(getattr(cas, name)) if not word.startswith("_")}
    assert public - {"domain"} <= WORDS


def test_every_reason_to_stop_and_every_key_of_an_explanation_is_there():
    opt = cas.Optimizer(cas.Space({"a": cas.Integer(0, 3)}), seed=0)
    assert set(WHY) | set(opt.ask().explanation) <= WORDS


def test_the_defaults_of_minimize_are_those_of_the_table():
    for name, parameter in inspect.signature(cas.minimize).parameters.items():
        cell = re.search(rf"^\| `{name}` \| .* \| (.*)\|$", TEXT, flags=re.MULTILINE)
        assert cell is not None
        said = cell[1].strip().strip("`")
        if parameter.default is inspect.Parameter.empty:
            assert said == ""
        else:
            assert eval(said, {"cas": cas}) == parameter.default
