"""Study files: what they say, and everything wrong with them at once."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

import casmopolitan as cas
from casmopolitan.study.file.load import SpecError, load
from casmopolitan.study.file.schema import memory_in_bytes, schema

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


def test_placing_a_study_leaves_the_original_as_it_is(tmp_path):
    spec = load(written(tmp_path, GOOD))
    other = cas.Space({"z": cas.Real(0, 1)})
    moved = spec.placed(tmp_path / "elsewhere", cas.PAPER, other)
    assert (moved.folder, moved.config, moved.space) == (tmp_path / "elsewhere", cas.PAPER, other)
    assert (spec.folder, spec.config, list(spec.space.names)) == (tmp_path, cas.DEFAULT, ["a", "b"])


def test_yaml_says_the_same_as_toml(tmp_path):
    yaml = """
name: n
budget: 5
variables:
  a: {type: categorical, choices: [x, y, 2, true]}
  b: {type: real, low: 1, high: 2}
objective:
  command: [prog, "--a={a}", "{b}"]
"""
    ours, theirs = load(written(tmp_path, GOOD)), load(written(tmp_path, yaml, "study.yaml"))
    assert ours.space == theirs.space
    assert ours.objective == theirs.objective


def test_every_problem_is_listed_at_once_with_its_path_and_the_way_out(tmp_path):
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
        "bugdet: unknown; drop it. Did you mean 'budget'?",
        "budget: got '10'",
        "Did you mean 10, without quotes?",
        "storage: is no database URL; e.g. sqlite:///",
        "settings: n_initial is 0",
        "Categorical 'a' has the choice 'a' 2 times",
        "Did you mean Real(1.0, 2.0)?",
        "variables.c.type: got 'reel'; a type is one of",
        "objective.memory_limit: got 'lots'; write an amount",
        "objective.command: is one string; no shell splits it. Write ['python', 'train.py']",
    ):
        assert fragment in text, fragment
    assert len(found) >= 11


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('"{b}"]', '"{c}"]', "{c} is no variable"),
        ('"{b}"]', "]", "does not get b; name each as {b}, or set stdin"),
        ('"{b}"]', '"{b}", "{"]', "has a single brace"),
        ('"{b}"]', '"{b}"]\nvalue = "file"', "needs {result_file}"),
        ('"{b}"]', '"{b}"]\nfunction = "m:f"', "one of the two"),
        ('command = ["prog", "--a={a}", "{b}"]', 'function = "m.py"', "write 'module:function'"),
        ('command = ["prog", "--a={a}", "{b}"]', "", "give either function"),
        ('"{b}"]', '"{b}"]\nfolder = "nowhere"', "is no folder"),
        (
            "budget = 5",
            'budget = 5\nstorage = "postgresql://u:${NOT_SET_ANYWHERE}@h/d"',
            "the environment has no NOT_SET_ANYWHERE",
        ),
        ("budget = 5", 'budget = 5\nknown = "nofile.csv"', "'nofile.csv' does not exist"),
        ("budget = 5", "budget = 5\ninitial = [{a = 'q', b = 1.5}]", "initial.0: Categorical 'a' got 'q'"),
        (
            "budget = 5",
            "budget = 5\nknown = [{value = 1, configuration = {a = 'x', b = 9.0}}]",
            "known.0.configuration: Real 'b' got 9.0",
        ),
        ("budget = 5", "budget = 5\npreset = 'best'", "preset: got 'best'"),
        ("budget = 5", "budget = 5\nsettings = {n_intial = 4}", "unknown setting 'n_intial'; did you mean 'n_initial'?"),
        (
            "[variables.a]",
            "[variables.trial]\ntype='integer'\nlow=1\nhigh=2\n[variables.a]",
            "variables.trial: the name is taken",
        ),
        ("budget = 5", "budget = 0", "budget: got 0"),
        ("budget = 5", "budget = 5\nforbid = [{b = 1.5}]", "forbid: Forbid"),
    ],
)
def test_a_contradiction_is_named(tmp_path, before, after, said):
    assert before in GOOD
    assert said in "\n".join(problems(tmp_path, GOOD.replace(before, after)))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("s.toml", "name = ", "is not TOML"),
        ("s.yaml", "a: [", "is not plain YAML"),
        ("s.yaml", "- 1\n", "is not a table"),
        ("s.yaml", "a: &x 1\nb: *x\n", "line 2: the alias *x is not accepted"),
        ("s.yaml", "name: a\nname: b\n", "line 2: 'name' stands twice"),
    ],
)
def test_a_file_that_is_no_study_is_refused_in_words(tmp_path, name, text, said):
    assert said in problems(tmp_path, text, name)[0]


def test_a_yaml_tag_runs_nothing(tmp_path):
    proof = tmp_path / "ran"
    text = f"name: !!python/object/apply:os.system ['touch {proof}']\n"
    assert "is not plain YAML" in problems(tmp_path, text, "s.yaml")[0]
    assert not proof.exists()


def test_a_missing_or_binary_file_is_said(tmp_path):
    with pytest.raises(SpecError, match="casmopolitan init"):
        load(tmp_path / "none.toml")
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SpecError, match="not UTF-8"):
        load(tmp_path / "b.toml")


@pytest.mark.parametrize(("text", "value"), [("2 GB", 2 * 10**9), ("512MiB", 2**29), ("1.5 KB", 1500), (77, 77)])
def test_memory_is_read_in_the_usual_units(text, value):
    assert memory_in_bytes(text) == value


def test_the_schema_names_every_part_and_is_json():
    made = json.loads(json.dumps(schema()))
    assert {"name", "budget", "variables", "objective", "forbid", "known", "storage"} <= set(made["properties"])
    assert made["required"] == ["name", "budget", "variables"]


@pytest.mark.parametrize("name", ["study.toml", "demo.toml"])
def test_the_files_that_come_with_the_package_are_sound(name):
    spec = load(str(files("casmopolitan.cli") / "templates" / name))
    assert spec.objective is not None
    assert spec.initial


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///", "sqlite:///:memory:", "sqlite:///file:x?mode=memory&uri=true"])
def test_a_database_in_memory_is_refused(tmp_path, url):
    found = problems(tmp_path, GOOD.replace("budget = 5", f'budget = 5\nstorage = "{url}"'))
    assert "gone when the command ends" in found[0]


def test_an_empty_address_and_choices_that_optuna_confuses_are_in_the_list(tmp_path):
    text = GOOD.replace("budget = 5", 'budget = 5\nstorage = ""').replace("2, true", "1, true")
    found = problems(tmp_path, text)
    assert "storage: is no database URL" in found[0]
    assert "Optuna takes for one another" in found[1]


@pytest.mark.parametrize("text", ["name: n\n\tbudget: 5\n", 'name: "n\n'])
def test_yaml_that_cannot_even_be_scanned_is_a_problem_of_the_file(tmp_path, text):
    assert "is not plain YAML" in problems(tmp_path, text, "study.yaml")[0]


def test_the_suffix_decides_in_any_case_and_is_explained(tmp_path):
    assert (
        load(written(tmp_path, "name: n\nbudget: 5\nvariables: {b: {type: real, low: 1, high: 2}}\n", "study.YAML")).name == "n"
    )
    assert "YAML where its name ends in .yaml" in problems(tmp_path, '{"name": "n"}', "study.json")[0]


def test_settings_that_do_not_exist_and_settings_that_are_wrong_are_told_together(tmp_path):
    found = problems(tmp_path, GOOD.replace("budget = 5", "budget = 5\nsettings = {n_init = 4, kernel = 'rbf'}"))
    assert any("unknown setting 'n_init'; did you mean 'n_initial'?" in text for text in found)
    assert any("kernel is 'rbf'" in text for text in found)


@pytest.mark.parametrize(("kind", "meant"), [("catgorical", "categorical"), ("int", "integer"), ("float", "real")])
def test_a_wrong_type_is_answered_with_the_right_one_and_nothing_false_follows(tmp_path, kind, meant):
    text = 'name = "n"\nbudget = 5\n[variables.a]\ntype = "' + kind + '"\nlow = 1\nhigh = 2\n'
    found = problems(tmp_path, text)
    assert len(found) == 1
    assert f"Did you mean '{meant}'?" in found[0]


def test_a_file_in_the_place_of_a_module_is_answered_with_the_module(tmp_path):
    text = GOOD.replace('command = ["prog", "--a={a}", "{b}"]', 'function = "lab/ob.py:f"')
    assert problems(tmp_path, text) == ["objective.function: got 'lab/ob.py:f'; a module, not a file: 'lab.ob:f'"]


def test_yamls_other_words_for_true_and_false_are_no_choices(tmp_path):
    text = "name: n\nbudget: 5\nnoisy: true\nvariables:\n  a: {type: categorical, choices: [on, off, auto]}\n"
    found = problems(tmp_path, text, "study.yaml")
    assert [one.partition(";")[0] for one in found] == [
        f"line 5: YAML takes {word} for true or false" for word in ("on", "off")
    ]
    quoted = load(written(tmp_path, text.replace("[on, off, auto]", "['on', 'off', auto]"), "study.yaml"))
    assert quoted.space["a"].choices == ("on", "off", "auto")


@pytest.mark.parametrize(
    "text", ["name: n\nbudget: 5\nvariables: {on: {type: real, low: 0, high: 1}}\n", "5: 3\n", "null: 1\n"]
)
def test_a_name_in_yaml_that_is_no_text_is_a_problem_of_the_file(tmp_path, text):
    assert any("is no text to YAML; put it in quotes" in one for one in problems(tmp_path, text, "study.yaml"))


def test_an_environment_that_no_process_can_have_is_refused(tmp_path):
    found = problems(tmp_path, GOOD + 'environment = {"A=B" = "c"}\n')
    assert found == ["objective.environment: 'A=B' is no variable's name, or its value holds a null character"]
