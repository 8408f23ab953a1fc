"""How a study file differs from the record of it that its study keeps."""

from __future__ import annotations

import pytest

import casmopolitan as cas
from casmopolitan.study.file.diff import (
    program_change,
    program_of,
    record_of,
    recorded_space,
    settings_differences,
    space_differences,
)
from casmopolitan.study.file.schema import ObjectiveSpec, Spec


def spec_of(objective):
    return Spec(
        name="s",
        budget=1,
        variables={"a": {"type": "integer", "low": 1, "high": 2}},
        objective=None if objective is None else ObjectiveSpec(**objective),
    )


ONE, TWO = {"command": ["python", "one.py", "{a}"]}, {"function": "two:loss"}


def test_another_program_is_a_note_and_no_refusal():
    begun = record_of(spec_of(ONE))
    note = program_change(begun, spec_of(TWO))
    assert "created with the program `python one.py {a}`, and now runs `two:loss`" in note
    assert "another name" in note
    assert settings_differences(begun, spec_of(TWO)) == []


@pytest.mark.parametrize("begun", [None, {}, {"words": None}, {"words": {"seed": 1}}, record_of(spec_of(None))])
def test_of_a_study_that_was_begun_without_a_program_nothing_is_said(begun):
    assert program_change(begun, spec_of(ONE)) == ""


def test_the_same_program_and_people_in_its_place_are_no_change():
    begun = record_of(spec_of(ONE))
    assert program_change(begun, spec_of(ONE)) == program_change(begun, spec_of(None)) == ""


def test_a_programs_secrets_are_not_recorded():
    assert program_of(spec_of({"command": ["run", "--token=hunter2", "{a}"]})) == "run --token=*** {a}"
    assert program_of(spec_of({"command": ["run", "--password", "hunter2", "{a}"]})) == "run --password *** {a}"
    assert program_of(spec_of({"command": ["run", "--key-size", "{a}", "-k", "2"]})) == "run --key-size {a} -k 2"


def test_differences_are_said_variable_by_variable():
    spec = Spec(
        name="s",
        budget=1,
        variables={"a": {"type": "categorical", "choices": ["x", "y", "z"]}, "b": {"type": "integer", "low": 1, "high": 2}},
    )
    record = record_of(spec)
    assert space_differences(record, spec.space) == []
    record["space"]["variables"][0]["choices"] = ["x"]
    record["space"]["variables"].append({"name": "gone", "type": "real", "low": 0.0, "high": 1.0})
    record["space"]["forbid"] = [{"a": ["x"]}]
    said = space_differences(record, spec.space)
    assert said[0] == "- gone: real (low 0.0, high 1.0)"
    assert said[1].startswith("~ a: categorical (choices ['x']) became categorical (choices ['x', 'y', 'z'])")
    assert said[2] == "- forbid: {a = ['x']}"
    assert settings_differences(record, spec) == []
    assert settings_differences({"words": {**record["words"], "preset": "paper"}}, spec) == ["~ preset: paper became default"]
    noisy = settings_differences({"words": {**record["words"], "noisy": True, "settings": {"n_initial": 4}}}, spec)
    assert noisy == ["~ noisy: true became not set", "~ settings: {n_initial = 4} became {}"]


def test_another_list_of_candidates_is_a_difference():
    before, now = (cas.Space.of([{"a": a} for a in letters]) for letters in ("xyz", "xyzw"))
    record = {"space": recorded_space(before)}
    assert space_differences(record, before) == []
    assert space_differences(record, now)[-1] == "~ candidates: a list of 3 rows became one of 4 other rows"
