"""The format of a study file."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

import casmopolitan as cas
from casmopolitan.study.file.load import load
from casmopolitan.study.file.schema import Spec, memory_in_bytes, schema

GOOD = """
name = "n"
budget = 5
[variables.a]
type = "categorical"
choices = ["x", "y", 2, true]
[variables.b]
type = "real"
low = 1
high = 2
[objective]
command = ["prog", "--a={a}", "{b}"]
"""


def test_placing_a_study_leaves_the_original_as_it_is(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(GOOD, "utf-8")
    spec = load(file)
    other = cas.Space({"z": cas.Real(0, 1)})
    moved = spec.placed(tmp_path / "elsewhere", cas.PAPER, other)
    assert (moved.folder, moved.config, moved.space) == (tmp_path / "elsewhere", cas.PAPER, other)
    assert (spec.folder, spec.config, list(spec.space.names)) == (tmp_path, cas.DEFAULT, ["a", "b"])


@pytest.mark.parametrize(("text", "value"), [("2 GB", 2 * 10**9), ("512MiB", 2**29), ("1.5 KB", 1500), (77, 77)])
def test_memory_is_read_in_the_usual_units(text, value):
    assert memory_in_bytes(text) == value


def test_the_schema_names_every_part_and_is_json():
    made = json.loads(json.dumps(schema()))
    assert {"name", "budget", "variables", "objective", "forbid", "known", "storage"} <= set(made["properties"])
    assert made["required"] == ["name", "budget"]


@pytest.mark.parametrize("name", ["study.toml", "demo.toml"])
def test_the_files_that_come_with_the_package_are_sound(name):
    spec = load(str(files("casmopolitan.cli") / "templates" / name))
    assert spec.objective is not None
    assert spec.initial


def test_the_schema_has_a_form_for_each_kind_of_variable():
    forms = schema()["properties"]["variables"]["additionalProperties"]["oneOf"]
    found = {form["properties"]["type"]["const"]: form for form in forms}
    assert list(found) == ["categorical", "ordinal", "integer", "real"]
    assert found["integer"]["properties"]["low"] == {"type": "integer"}
    assert found["real"]["required"] == ["type", "low", "high"]
    assert all(form["additionalProperties"] is False for form in forms)


def test_a_spec_made_in_python_has_a_space():
    spec = Spec(name="n", budget=3, variables={"x": {"type": "real", "low": 0.0, "high": 1.0}}, forbid=[])
    assert spec.space == cas.Space({"x": cas.Real(0, 1)})
