from casmopolitan.execution.objective import PLACEHOLDER, Objective
from casmopolitan.study.file.schema import ObjectiveSpec


def test_placeholders_are_told_from_braces():
    found = [(m[0], m[1]) for m in PLACEHOLDER.finditer("{name} {{literal}} {")]
    assert found == [("{name}", "name"), ("{{", None), ("}}", None), ("{", None)]


def test_the_objective_of_a_study_file_has_every_field_that_a_program_needs():
    assert set(Objective.__annotations__) == set(ObjectiveSpec.model_fields)
