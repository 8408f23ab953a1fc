"""Study files: everything wrong with them at once."""

from __future__ import annotations

import pytest

import casmopolitan as cas
from casmopolitan.study.file.load import SpecError, load

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


def written(tmp_path, text, name="study.toml"):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


def problems(tmp_path, text, name="study.toml"):
    with pytest.raises(SpecError) as caught:
        load(written(tmp_path, text, name))
    return caught.value.problems


def test_a_file_becomes_a_space_a_config_and_an_objective(tmp_path):
    text = GOOD.replace(
        "budget = 5", 'budget = 5\npreset = "paper"\nnoisy = true\nforbid = [{a = ["x", 2]}]\nsettings = {n_initial = 3}'
    )
    spec = load(written(tmp_path, text))
    variables = {"a": cas.Categorical(["x", "y", 2, True]), "b": cas.Real(1, 2)}
    assert spec.space == cas.Space(variables, cas.Forbid({"a": ["x", 2]}))
    assert (spec.config.n_initial, spec.config.noisy, spec.config.acquisition) == (3, True, "ei")
    assert spec.objective.command == ["prog", "--a={a}", "{b}"]
    assert spec.folder == tmp_path


def test_every_problem_is_listed_at_once_with_its_path_and_the_fix(tmp_path):
    found = problems(
        tmp_path,
        """
bugdet = 3
budget = "10"
storage = "somewhere"
[settings]
n_initial = 0
[variables.a]
type = "categorical"
choices = ["a", "a"]
[variables.b]
type = "real"
low = 2
high = 1
[variables.c]
type = "reel"
[[forbid]]
a = "z"
[objective]
command = ["python train.py"]
memory_limit = "lots"
""",
    )
    text = "\n".join(found)
    for fragment in (
        "name: is missing",
        "bugdet: unknown; remove it. Did you mean 'budget'?",
        "budget: got '10'; give a whole number (total number of trials). Did you mean 10?",
        "storage: is not a database URL; e.g. sqlite:///",
        "settings: n_initial is 0",
        "Categorical 'a' has the choice 'a' 2 times",
        "Did you mean low 1.0 and high 2.0?",
        "variables.c.type: got 'reel'; a type is one of",
        "objective.memory_limit: got 'lots'; write an amount",
        "objective.command: is one string, and no shell splits it. Write ['python', 'train.py']",
    ):
        assert fragment in text, fragment
    assert len(found) >= 11


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('"{b}"]', '"{c}"]', "{c} is not a variable"),
        ('"{b}"]', "]", "does not use b; add {b} to the arguments, or {*} for all variables, or set"),
        ('["prog", "--a={a}", "{b}"]', '["prog --password hunter2"]', "Write ['prog', '--password', '***']"),
        ('"{b}"]', '"-x{*}"]', "write it once, after the program, as a string of its own"),
        ('"{b}"]', '"{*}", "{*}"]', "write it once, after the program, as a string of its own"),
        ('["prog", "--a={a}", "{b}"]', '["{*}"]', "write it once, after the program, as a string of its own"),
        ('"{b}"]', '"{b}", "{"]', "has a single brace"),
        ('"{b}"]', '"{b}"]\nvalue = "file"', "needs {result_file}"),
        ('"{b}"]', '"{b}"]\nfunction = "m:f"', "not both"),
        ('command = ["prog", "--a={a}", "{b}"]', 'function = "m.py"', "write 'module:function'"),
        ('command = ["prog", "--a={a}", "{b}"]', "", "give either function"),
        ('"{b}"]', '"{b}"]\nfolder = "nowhere"', "is not a folder"),
        (
            "budget = 5",
            'budget = 5\nstorage = "postgresql://u:${NOT_SET_ANYWHERE}@h/d"',
            "the environment variable NOT_SET_ANYWHERE is not set",
        ),
        ("budget = 5", 'budget = 5\nknown = "nofile.csv"', "'nofile.csv' does not exist"),
        ("budget = 5", "budget = 5\ninitial = [{a = 'q', b = 1.5}]", "initial.0: Categorical 'a' got 'q'"),
        (
            "budget = 5",
            "budget = 5\nknown = [{value = 1, configuration = {a = 'x', b = 9.0}}]",
            "known.0.configuration: Real 'b' got 9.0",
        ),
        ("budget = 5", "budget = 5\npreset = 'best'", "preset: got 'best'"),
        ("budget = 5", "budget = 5\nsettings = {n_intial = 4}", "unknown setting 'n_intial'. Did you mean 'n_initial'?"),
        (
            "[variables.a]",
            "[variables.trial]\ntype='integer'\nlow=1\nhigh=2\n[variables.a]",
            "variables.trial: the name is a reserved placeholder",
        ),
        (
            "[variables.a]",
            "[variables.'*']\ntype='integer'\nlow=1\nhigh=2\n[variables.a]",
            "variables.*: the name is a reserved placeholder",
        ),
        ("budget = 5", "budget = 0", "budget: got 0"),
        ("budget = 5", "budget = 5\nforbid = [{b = 1.5}]", "many values. Forbid a range such as {from = 80, to = 120}"),
    ],
)
def test_a_contradiction_is_named(tmp_path, before, after, said):
    assert before in GOOD
    assert said in "\n".join(problems(tmp_path, GOOD.replace(before, after)))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("s.toml", "name = ", "is not TOML"),
        ("s.json", '{"name": "n"}', "is not TOML"),
        ("s.yaml", "name: n\n", "study files are TOML, not YAML"),
        ("s.YML", "name: n\n", "study files are TOML, not YAML"),
        ("s.toml", "a = " + 9999 * "[", "is nested too deeply"),
    ],
)
def test_a_file_that_is_no_study_is_refused_in_words(tmp_path, name, text, said):
    assert said in problems(tmp_path, text, name)[0]


def test_a_missing_or_binary_file_is_said(tmp_path):
    with pytest.raises(SpecError, match="casmopolitan init"):
        load(tmp_path / "none.toml")
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SpecError, match="not UTF-8"):
        load(tmp_path / "b.toml")


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///", "sqlite:///:memory:", "sqlite:///file:x?mode=memory&uri=true"])
def test_a_database_in_memory_is_refused(tmp_path, url):
    found = problems(tmp_path, GOOD.replace("budget = 5", f'budget = 5\nstorage = "{url}"'))
    assert "lost when the command ends" in found[0]


def test_a_variable_without_a_type_is_told_so(tmp_path):
    assert problems(tmp_path, GOOD.replace('type = "real"\n', "")) == [
        "variables.b.type: is missing; a type is one of categorical, ordinal, integer, real."
    ]


def test_an_empty_address_and_choices_that_optuna_confuses_are_in_the_list(tmp_path):
    text = GOOD.replace("budget = 5", 'budget = 5\nstorage = ""').replace("2, true", "1, true")
    found = problems(tmp_path, text)
    assert "storage: is not a database URL" in found[0]
    assert "Optuna does not distinguish" in found[1]


def test_settings_that_do_not_exist_and_settings_that_are_wrong_are_told_together(tmp_path):
    found = problems(tmp_path, GOOD.replace("budget = 5", "budget = 5\nsettings = {n_init = 4, kernel = 'rbf'}"))
    assert any("unknown setting 'n_init'. Did you mean 'n_initial'?" in text for text in found)
    assert any("kernel is 'rbf'" in text for text in found)


@pytest.mark.parametrize(("kind", "meant"), [("catgorical", "categorical"), ("int", "integer"), ("float", "real")])
def test_a_wrong_type_is_answered_with_the_right_one_and_nothing_false_follows(tmp_path, kind, meant):
    text = 'name = "n"\nbudget = 5\n[variables.a]\ntype = "' + kind + '"\nlow = 1\nhigh = 2\n'
    found = problems(tmp_path, text)
    assert len(found) == 1
    assert f"Did you mean '{meant}'?" in found[0]


def test_a_file_in_the_place_of_a_module_is_answered_with_the_module(tmp_path):
    text = GOOD.replace('command = ["prog", "--a={a}", "{b}"]', 'function = "lab/ob.py:f"')
    assert problems(tmp_path, text) == ["objective.function: got 'lab/ob.py:f'; name a module, not a file: 'lab.ob:f'"]


def test_an_environment_that_no_process_can_have_is_refused(tmp_path):
    found = problems(tmp_path, GOOD + 'environment = {"A=B" = "c"}\n')
    assert found == ["objective.environment: 'A=B' is not a valid name of a variable, or its value contains a null character"]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("low = 1", "variable 'c' has no 'high'; integer needs it"),
        ("low = 1\nhigh = 3\nsstep = 2", "variable 'c' has the unknown field 'sstep'; drop it. Did you mean 'step'?"),
        ('low = "1"\nhigh = 3', "Integer 'c' has low '1'; it must be an int"),
        ("low = 1\nhigh = 3\nlog = 1", "Integer 'c' has log=1; it must be true or false"),
        ('low = 1\nhigh = 3\nname = "d"', "variables.c.name: unknown; remove it"),
    ],
)
def test_a_malformed_variable_is_named_beside_the_other_problems(tmp_path, entry, said):
    text = GOOD.replace("budget = 5", "budget = 0").replace('"{b}"]', '"{b}", "{c}", "{d}"]')
    text = text.replace("[objective]", f'[variables.c]\ntype = "integer"\n{entry}\n[objective]')
    found = problems(tmp_path, text)
    assert len(found) == 3
    assert "budget: got 0" in found[0]
    assert said in found[1]
    assert "{d} is not a variable" in found[2]


@pytest.mark.parametrize("part", ["variables = 3", "objective = 3", "objective.command = 3", "known = 3", "settings = 3"])
def test_a_part_of_another_type_is_named(tmp_path, part):
    name = part.partition(" ")[0]
    found = problems(tmp_path, f'name = "n"\nbudget = 5\n{part}\n')
    assert any(text.startswith((f"{name}: got 3; ", f"{name}: got a value of type int; ")) for text in found)
    assert not any(text.startswith("objective: give either") for text in found)


@pytest.mark.parametrize(
    ("storage", "objective"),
    [
        ('["postgresql://me:hunter2@host/name"]', "function = 'm:f'"),
        ('"sqlite:///a.db"', 'environment = ["TOKEN=hunter2"]'),
        ('"sqlite:///a.db"', 'environment = { TOKEN = ["hunter2"] }'),
        ('"sqlite:///a.db"', 'command = "run --password hunter2"'),
    ],
)
def test_a_wrong_type_where_a_password_may_be_does_not_show_the_value(tmp_path, storage, objective):
    variables = "[variables]\na = { type = 'integer', low = 1, high = 3 }"
    found = problems(tmp_path, f'name = "s"\nbudget = 3\nstorage = {storage}\n{variables}\n[objective]\n{objective}\n')
    assert "hunter2" not in str(found)
    assert "got a " in str(found)


def test_rules_and_ranges_of_a_file_are_those_of_its_space(tmp_path):
    text = 'budget = 5\nrules = ["b + b <= 3.6"]\nforbid = [{b = {from = 1.2, to = 1.4}}]'
    space = load(written(tmp_path, GOOD.replace("budget = 5", text))).space
    assert [space.allows({"a": "x", "b": b}) for b in (1, 1.2, 1.4, 1.5, 1.9)] == [True, False, False, True, False]


def test_a_rule_that_cannot_be_read_is_named_with_its_place(tmp_path):
    with pytest.raises(SpecError, match="rules: the rule 'b < 1' compares with '<'"):
        load(written(tmp_path, GOOD.replace("budget = 5", 'budget = 5\nrules = ["b < 1"]')))


def test_candidates_are_the_rows_of_a_file(tmp_path):
    (tmp_path / "rows.csv").write_text("a,b\nx,1.5\ny,1.25\n", "utf-8")
    text = 'name = "s"\nbudget = 2\ncandidates = "rows.csv"\n'
    space = load(written(tmp_path, text)).space
    assert space.candidates == [{"a": "x", "b": 1.5}, {"a": "y", "b": 1.25}]
    typed = load(written(tmp_path, text + "[variables.b]\ntype = 'real'\nlow = 1\nhigh = 2\n")).space
    assert typed["b"] == cas.Real(1, 2)
    (wrong,) = problems(tmp_path, text.replace("rows.csv", "other.csv"))
    assert wrong.startswith("candidates: the candidates ")
    assert "cannot be read: No such file" in wrong
