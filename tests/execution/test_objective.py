import pytest

from casmopolitan.execution.objective import PLACEHOLDER, Objective, filled, filled_command
from casmopolitan.study.file.schema import ObjectiveSpec


def test_placeholders_are_told_from_braces():
    found = [(m[0], m[1]) for m in PLACEHOLDER.finditer("{name} {{literal}} {")]
    assert found == [("{name}", "name"), ("{{", None), ("}}", None), ("{", None)]


def test_placeholders_are_filled_once_and_mean_nothing_else():
    words = {"a": "{b}", "b": "B"}
    assert filled("{a}-{b}-{{a}}-{{{b}}}", words) == "{b}-B-{a}-{B}"


@pytest.mark.parametrize(
    ("configuration", "options"),
    [
        ({"level": "-O2", "rate": 1e-05, "name": "a; rm -rf /"}, ["--rate=1e-05", "--name=a; rm -rf /"]),
        ({"level": "-O2", "fast": True, "slow": False, "-fpic": True, "-march": "k8"}, ["--fast", "-fpic", "-march=k8"]),
        ({"level": "-O2", "one": 1, "zero": 0}, ["--one=1", "--zero=0"]),
        ({"level": "-O2"}, []),
    ],
)
def test_a_star_is_one_option_per_variable_without_a_placeholder_of_its_own(configuration, options):
    """A variable that does not exist is not in the configuration, and True and 1 are not the same."""
    command = ["cc", "{level}", "--{gone}", "{*}", "{trial}.c", "{{*}}"]
    assert filled_command(command, configuration, {"trial": "7"}) == ["cc", "-O2", *options, "7.c", "{*}"]


def test_the_objective_of_a_study_file_has_every_field_that_a_program_needs():
    assert set(Objective.__annotations__) == set(ObjectiveSpec.model_fields)
