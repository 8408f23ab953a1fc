"""docs/reference.md has a directive for every public name, and lists every key of an explanation."""

from __future__ import annotations

import re
from pathlib import Path

import casmopolitan as cas
from casmopolitan import plots, study

TEXT = (Path(__file__).parents[2] / "docs" / "reference.md").read_text("utf-8")
DIRECTIVES = set(re.findall(r"^::: casmopolitan\.(\S+)$", TEXT, flags=re.MULTILINE))
MEMBERS = dict(re.findall(r"^::: casmopolitan\.(\w+)\n    options:\n      members: \[(.*)\]$", TEXT, flags=re.MULTILINE))


def test_every_public_name_is_a_directive():
    assert set(cas.__all__) <= DIRECTIVES


def test_every_name_of_the_study_layer_is_a_directive():
    assert {f"study.{name}" for name in study.__all__} <= DIRECTIVES


def test_every_figure_is_a_member():
    assert set(MEMBERS["plots"].split(", ")) == set(plots.__all__)


def test_every_directive_names_something():
    for name in DIRECTIVES:
        value = cas
        for part in name.split("."):
            value = getattr(value, part)


def test_every_key_of_an_explanation_is_there():
    opt = cas.Optimizer(cas.Space({"a": cas.Integer(0, 3)}), seed=0)
    assert set(opt.ask().explanation) <= set(re.findall(r"`(\w+)`", TEXT.partition("### Explanation of a trial")[2]))
