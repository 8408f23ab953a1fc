"""Earlier studies in study files: CSV files and studies in databases, what does not fit, and what is wrong."""

import optuna
import pytest
from typer.testing import CliRunner

from casmopolitan.cli.app import app
from casmopolitan.study import distributions_of, open_storage
from casmopolitan.study.doctor import examine
from casmopolitan.study.file.diff import past_differences, record_of
from casmopolitan.study.file.load import SpecError, load
from casmopolitan.study.report import settings
from casmopolitan.study.trials.open import open_spec

FILE = """
name = "flask C"
direction = "maximize"
budget = 4
seed = 0
settings = { n_initial = 4, fit_steps = 5 }
[variables]
solvent = { type = "categorical", choices = ["water", "ethanol", "toluene"] }
t = { type = "integer", low = 20, high = 120 }
"""
CSV = '\n[[past]]\nname = "flask A"\nfile = "a.csv"\n'
DATABASE = '\n[[past]]\nname = "flask B"\nstudy = "other"\nstorage = "sqlite:///other.db"\n'
ROWS = (
    "solvent;t;value;comment\nwater;30;1,5;\nethanol;60;21,5;good\nDMF;60;3;\ntoluene;200;2;\ntoluene;80;;\nwater;40;failed;\n"
)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text(ROWS)
    return tmp_path


def write(here, text):
    (here / "study.toml").write_text(text)
    return here / "study.toml"


def problems(here, text):
    with pytest.raises(SpecError) as raised:
        load(write(here, text))
    return raised.value.problems


def add_other_study(direction="maximize"):
    space = load("study.toml", whole=False).space
    storage = open_storage("sqlite:///other.db", heartbeat=None)
    study = optuna.create_study(study_name="other", storage=storage, direction=direction)
    for k, solvent in enumerate(["water", "toluene"]):
        study.add_trial(
            optuna.create_trial(params={"solvent": solvent, "t": 50}, distributions=distributions_of(space), value=float(k))
        )
    study.add_trial(optuna.create_trial(state=optuna.trial.TrialState.FAIL))
    storage.engine.dispose()


def test_results_in_a_file_are_read_as_spreadsheets_write_them_and_misfits_are_left_out(here):
    (study,) = load(write(here, FILE + CSV)).past_studies
    assert study.name == "flask A"
    assert study.trials == (({"solvent": "water", "t": 30}, 1.5), ({"solvent": "ethanol", "t": 60}, 21.5))
    assert [text.partition(":")[0] for text in study.left_out] == [
        "a.csv, row 4, column 'solvent'",
        "a.csv, row 5, column 't'",
    ]


def test_an_exported_file_and_a_named_objective_are_read_too(here):
    (here / "a.csv").write_text("trial,solvent,t,yield,state\n3,water,30,1.5,complete\n4,water,,2.5,complete\n")
    text = FILE.replace('direction = "maximize"', "") + CSV + '[objectives]\nyield = "maximize"\n'
    assert problems(here, text) == ["past.0.file: a.csv: row 3, column 't': is empty"]
    (here / "a.csv").write_text("trial,solvent,t,yield,state\n3,water,30,1.5,complete\n")
    assert load(write(here, text)).past_studies[0].trials == (({"solvent": "water", "t": 30}, 1.5),)


def test_a_study_in_a_database_is_read_and_left_as_it_is(here):
    write(here, FILE + DATABASE)
    add_other_study()
    before = (here / "other.db").read_bytes()
    (study,) = load("study.toml").past_studies
    assert study.trials == (({"solvent": "water", "t": 50}, 0.0), ({"solvent": "toluene", "t": 50}, 1.0))
    assert (here / "other.db").read_bytes() == before


def test_all_problems_are_listed_at_once_with_file_row_and_column(here):
    (here / "a.csv").write_text("solvent,t,value\nwater,,1.5\nethanol,sixty,21.5\nDMF,60,high\n")
    (here / "b.csv").write_text("solvent,value\nwater,1\n")
    (here / "c.csv").write_text("solvent,t,value\nDMF,30,1\n")
    more = "".join(f'\n[[past]]\nname = "{n}"\n{rest}\n' for n, rest in [
        ("B", 'file = "b.csv"'),
        ("C", 'file = "c.csv"'),
        ("C", 'file = "none.csv"'),
        ("D", ""),
        ("E", 'file = "a.csv"\nstorage = "sqlite:///x.db"'),
        ("F", 'study = "x"\nstorage = "sqlite:///none.db"'),
    ])  # fmt: skip
    assert problems(here, FILE + CSV + more) == [
        "past.3.name: 'C' is used twice; rename it",
        "past.0.file: a.csv: row 2, column 't': is empty; a line without a trial number needs every variable",
        "past.0.file: a.csv: row 3, column 't': got 'sixty'; it takes a number",
        "past.0.file: a.csv: row 4, column 'value': got 'high' as a value; give a number, 'failed', or leave it empty",
        "past.1.file: b.csv: row 1: has neither the column 'trial' nor all variables; 't' is missing",
        "past.2.file: c.csv: has no result that fits the space: row 2, column 'solvent': got 'DMF'; its choices are 'water', "
        "'ethanol', 'toluene'.",
        "past.3.file: the file 'none.csv' does not exist; give a CSV file, relative to the study file",
        "past.4: give either file = 'results.csv' or study = 'the name of a study'",
        "past.5.storage: has no effect with file; remove it",
        f"past.6.study: there is no database sqlite:///{here}/none.db; give its URL as storage",
    ]


def test_another_direction_a_missing_study_and_limits_are_problems(here):
    write(here, FILE + DATABASE)
    add_other_study("minimize")
    assert problems(here, FILE + DATABASE) == ["past.0.study: 'other' has direction minimize, this study maximize"]
    (text,) = problems(here, FILE + DATABASE.replace('"other"', '"othr"'))
    assert text.endswith("other.db has no study 'othr'. Did you mean 'other'?")
    (here / "other.db").write_text("no database at all")
    (text,) = problems(here, FILE + DATABASE)
    assert "cannot be read" in text
    (text,) = problems(here, FILE + CSV + '[limits]\ncost = "<= 3"\n')
    assert text == "past: needs a single objective without limits; remove it, or the limits and other objectives"


def test_other_results_are_a_change_of_the_file(here):
    record = record_of(load(write(here, FILE + CSV)))
    assert past_differences(record, load(write(here, FILE + CSV))) == []
    assert past_differences(record, load(write(here, FILE))) == ["- past 'flask A': 2 trials"]
    assert past_differences(record_of(load("study.toml")), load(write(here, FILE + CSV))) == ["+ past 'flask A': 2 trials"]
    (here / "a.csv").write_text(ROWS + "toluene;90;70;\n")
    assert past_differences(record, load("study.toml")) == ["~ past 'flask A': 2 trials became 3 others"]


def command(*words, code=0):
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == code, done.output
    return done.output


def test_a_study_learns_from_its_past_says_so_and_goes_on_after_a_change(here):
    known = [f"{s},{t},{len(s) - abs(t - 80) / 9}" for s in ("water", "ethanol", "toluene") for t in range(20, 121, 10)]
    (here / "a.csv").write_text("\n".join(["solvent,t,value", *known, "DMF,30,1"]))
    write(here, FILE + CSV)
    command("ask", "-n", 2)
    opened = open_spec(load("study.toml"))
    assert opened.trials()[0].params["solvent"] != "water"  # no initial design: the past replaces it
    assert opened.rows()[0].explanation["source"] in ("acquisition", "global")
    assert settings(opened)["past"] == "flask A: 33 trials (1 left out)"
    opened.study._storage._backend.engine.dispose()
    assert "flask A: 33 trials (1 left out)" in command("status")
    found = {finding.check: finding for finding in examine(here / "study.toml")}
    assert found["past"].found.startswith("flask A: 33 trials (1 left out): a.csv, row 35, column 'solvent': got 'DMF'")
    command("tell", "--trial", 0, "--value", 7)
    (here / "a.csv").write_text("solvent,t,value\nwater,30,1.5\n")
    assert "~ past 'flask A': 33 trials became 1 others" in command("ask", code=3)
    (here / "a.csv").unlink()
    assert "- past 'flask A': 33 trials" in command("status")  # it still works
    (here / "a.csv").write_text("solvent,t,value\nwater,30,1.5\n")
    command("ask", "--accept-changes")
    assert "flask A: 1 trial" in command("status")
