import pytest

from casmopolitan.execution.objective import PLACEHOLDER, Objective, filled, filled_command, without_secrets
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


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (["run", "--token=hunter2", "{a}"], ["run", "--token=***", "{a}"]),
        (["run", "--password", "hunter2", "--api-key", "h2"], ["run", "--password", "***", "--api-key", "***"]),
        (["run", "--password", "-hunter2", "--auth", "--quick"], ["run", "--password", "***", "--auth", "--quick"]),
        (["run", "--secretKey", "hunter2", "--pwd=h2"], ["run", "--secretKey", "***", "--pwd=***"]),
        (["env", "MYSQL_PWD=hunter2", "run"], ["env", "MYSQL_PWD=***", "run"]),
        (["curl", "https://me:hunter2@host/path"], ["curl", "https://me:***@host/path"]),
        (["sh", "-c", "login hunter2 {a}", "x", "--password=hunter2"], ["sh", "-c", "login *** {a}", "x", "--password=***"]),
        (["run", "--password", "{a}", "--key={b}"], ["run", "--password", "{a}", "--key={b}"]),
    ],
)
def test_secrets_of_a_command_are_hidden(command, shown):
    assert without_secrets(command) == shown


def test_options_that_only_resemble_secrets_are_shown():
    command = [
        "run",
        "--passes=3",
        "--tokenizer",
        "bpe",
        "--max-tokens",
        "8",
        "--keyboard=us",
        "--key-size",
        "2",
        "--compass",
        "n",
    ]
    assert without_secrets(command) == command
