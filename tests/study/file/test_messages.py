"""Messages about study files, in the words of TOML."""

from __future__ import annotations

import pytest

from casmopolitan.study.file.load import SpecError, load
from casmopolitan.study.file.messages import in_toml

HEAD = 'name = "n"\nbudget = 5\n'
SPACE = '[variables.a]\ntype = "categorical"\nchoices = ["x", "y"]\n[variables.b]\ntype = "real"\nlow = 1\nhigh = 2\n'


def problems(tmp_path, text):
    path = tmp_path / "study.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(SpecError) as caught:
        load(path)
    return caught.value.problems


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[variables.a]\nhigh = 0,5\n", "; the line is: high = 0,5. Numbers have a decimal point: 0.5"),
        ("[variables]\na = { low = 0, high = 0,5 }\n", "Numbers have a decimal point: 0.5"),
        ("name: n\nbudget: 5\n", "This looks like YAML; in TOML it is name = ..., with text in quotes"),
        ("variables:\n  a: 3\n", "This looks like YAML; in TOML it is variables = ..."),
        ('{"name": "n"}', "This looks like JSON"),
        ("name = lab", "Put text in quotes: name = 'lab'"),
        ("noisy = True", "Write noisy = true"),
        ("name = 'a'\nname = 'b'", "Each key and each table is given once"),
    ],
)
def test_a_syntax_error_shows_the_line_and_what_to_write(tmp_path, text, said):
    (found,) = problems(tmp_path, text)
    assert found.startswith("is not TOML: ")
    assert said in found


@pytest.mark.parametrize(
    "text",
    [
        'storage = "postgresql://me:hunter2@host/db',
        "[objective.environment]\nMINE = hunter2\n",
        "[objective]\ncommand = [hunter2]\n",
        "objective = { environment = { MINE = hunter2 } }",
        "[a]\nmy_password = hunter2\n",
    ],
)
def test_a_line_that_may_hold_a_password_is_not_shown(tmp_path, text):
    assert "hunter2" not in problems(tmp_path, text)[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + SPACE + "[forbid]\na = 'x'\n", "forbid: is a single table; write [[forbid]] with double brackets"),
        (HEAD + SPACE + "[known]\nvalue = 1\n", "known: is a single table; write [[known]] with double brackets"),
        (
            HEAD + '[[variables]]\nname = "a"\ntype = "real"\n[[variables]]\nname = "b"\n',
            "variables: is a list of tables; the name of a variable is part of its heading: [variables.a] and [variables.b]",
        ),
        (HEAD + SPACE + "[[objective]]\ncommand = ['x']\n", "objective: is a list of tables; write [objective] with single"),
        (
            HEAD + SPACE + '[objective]\nfunction = "m:f"\ntime_limit = "5 minutes"\n',
            "objective.time_limit: got '5 minutes'; give a number (seconds per trial)",
        ),
        (
            HEAD + SPACE + "[[known]]\nvalue = '5'\nconfiguration = {a = 'x', b = 1.5}\n",
            "known.0.value: got '5'; give a number",
        ),
        ("direction = 'maximise'\n" + HEAD + SPACE, "Did you mean 'maximize'?"),
        ("direction = 'max'\n" + HEAD + SPACE, "direction: got 'max'; it must be 'minimize' or 'maximize'. Did you mean"),
        (HEAD + "storage = 'oracle://h/d'\n" + SPACE, "storage: 'oracle' is not a supported database; write sqlite:///"),
        (HEAD + SPACE + "rules = ['b <= 1']\n", "variables.b.rules: stands below [variables.b]; move it above the first"),
        (
            HEAD + "[variables.a]\ntype = 'categorical'\nvalues = ['x']\n",
            "variables: variable 'a' has 'values', which is called 'choices' for type 'categorical'; rename it",
        ),
        (HEAD + SPACE + "[[forbid]]\na = 'x'\n[[forbid]]\nq = {from = 1}\n", "forbid.1: names 'q', which is not a variable"),
        (HEAD + "[variables.a]\ntype = 'categorical'\nchoices = 'water'\n", "give a list, e.g. ['water']"),
        (
            HEAD + SPACE + "[variables.c]\ntype = 'integer'\nlow = 1\nhigh = 2\nlog = 'yes'\nwhen = {a = 'z'}\n",
            "variables: Integer 'c' has log='yes'; it must be true or false",
        ),
    ],
)
def test_one_mistake_is_one_message_that_says_what_to_write(tmp_path, text, said):
    (found,) = problems(tmp_path, text)
    assert said in found


def test_two_renamed_fields_are_two_messages(tmp_path):
    found = problems(tmp_path, HEAD + "[variables.b]\ntype = 'real'\nmin = 0\nmax = 1\n")
    assert [text.partition(" has ")[2] for text in found] == [
        "'min', which is called 'low' for type 'real'; rename it",
        "'max', which is called 'high' for type 'real'; rename it",
    ]


def test_a_wrong_preset_hides_no_wrong_setting(tmp_path):
    found = problems(tmp_path, HEAD + "preset = 'best'\nsettings = {n_initail = 3, kernel = 'rbf'}\n" + SPACE)
    assert [text.partition(";")[0] for text in found] == [
        "preset: got 'best'",
        "settings: unknown setting 'n_initail'. Did you mean 'n_initial'?",
        "settings: kernel is 'rbf'",
    ]


def test_python_becomes_toml_outside_quotes():
    assert in_toml("Forbid({'a': 'True', 'b': {'from': 5}}) names True") == "{a = 'True', b = {from = 5}} names true"
    assert in_toml("it must be True or False, e.g. when={'a': [True]}") == "it must be true or false, e.g. when={a = [true]}"
