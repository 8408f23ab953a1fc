import math
from dataclasses import replace

import optuna
import pytest

import casmopolitan as cas
from casmopolitan.analysis.row import TrialRow
from casmopolitan.cli.options import summary
from casmopolitan.study import write_report as write_public
from casmopolitan.study.file.load import load
from casmopolitan.study.report import command_of, settings, write_report
from casmopolitan.study.sampler.records import COMMENT
from casmopolitan.study.trials.known import KnownResult, record_known
from casmopolitan.study.trials.manual import reserve_trials


def test_no_view_of_a_study_shows_its_password(opened):
    secret = "postgresql://me:hunter2@host/base"
    one = replace(opened, url=secret, spec=opened.spec.model_copy(update={"storage": secret}))
    assert "hunter2" not in str(summary(one, [])) + str(settings(one))


def test_the_report_of_a_study_shows_its_name_best_value_and_settings(opened, tmp_path):
    record_known(opened, [KnownResult({"a": "x", "b": b}, b / 7) for b in (3, 11, 19, 25, 29)])
    path = tmp_path / "report.html"
    assert write_report(opened, path) == str(path)
    page = path.read_text("utf-8")
    assert opened.spec.name in page
    assert f"{3 / 7:.6g}" in page
    assert "echo 1" in page


def test_a_report_that_cannot_be_written_leaves_nothing_behind(opened, tmp_path):
    with pytest.raises(OSError, match="missing"):
        write_report(opened, tmp_path / "missing" / "report.html")
    assert list(tmp_path.glob("*.html")) == []


ROW = TrialRow(7, "complete", 1.0, {"a": "x y", "b": 3})


@pytest.mark.parametrize(
    ("objective", "command"),
    [
        ({"command": ["./run", "--a={a}", "{b}", "--n={trial}"]}, "./run '--a=x y' 3 --n=7"),
        ({"command": ["python", "run.py", "{b}", "{result_file}"]}, "python run.py 3 result.json"),
        ({"command": ["run", "--password=hunter2", "{b}"]}, "run '--password=***' 3"),
        ({"command": ["run", "--token", "hunter2", "{b}"]}, "run --token '***' 3"),
        ({"command": ["run"], "stdin": "json"}, """echo '{"a": "x y", "b": 3}' | run"""),
        ({"function": "bake:taste"}, """python -c 'from bake import taste; print(taste({"a": "x y", "b": 3}))'"""),
    ],
)
def test_the_command_of_a_trial_can_be_pasted_and_holds_no_secret(opened, objective, command):
    what = type(opened.spec.objective)(**{"command": None, **objective})
    one = replace(opened, spec=opened.spec.model_copy(update={"objective": what}))
    assert command_of(one, ROW) == command


def test_the_report_shows_suggestions_reserved_trials_comments_and_the_description_and_changes_nothing(file, opened, tmp_path):
    opened.study.add_trial(
        optuna.trial.create_trial(
            params={"a": "z", "b": 7},
            distributions=opened.study.sampler.declared.distributions,
            value=3.5,
            user_attrs={COMMENT: "boiled <over>", "casmo:run": {"by": "known"}},
        )
    )
    (reserved,) = reserve_trials(opened, 1)
    file.write_text('description = "What is it?"\nbudget = 7' + file.read_text().partition("budget = 7")[2])
    text = 'name = "n"\n' + file.read_text()
    file.write_text(text)
    one, before = replace(opened, spec=load(file)), opened.trials()
    write_report(one, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    for part in ("What is it?", "boiled &lt;over&gt;", f"trial {reserved.number}, reserved", "Next suggestions", "trial 2<"):
        assert part in page
    assert opened.trials() == before


def sampled_study(sampler, directions=("minimize",)):
    study = optuna.create_study(directions=directions, sampler=sampler, study_name="mine")

    def objective(trial):
        a, b = trial.suggest_categorical("a", ["x", "y", math.inf]), trial.suggest_float("b", 0.1, 10.0, log=True)
        if a == "y" and b > 5:
            raise ValueError("boiled over")
        trial.set_constraint("c", b - 6.0)
        values = [b + (a == "x"), -b]
        return values[0] if len(directions) == 1 else values

    study.optimize(objective, n_trials=9, catch=(ValueError,))
    return study


@pytest.mark.parametrize("directions", [("minimize",), ("minimize", "maximize")])
def test_a_study_of_optuna_has_a_report_without_a_file(directions, tmp_path):
    study = sampled_study(cas.study.CasmopolitanSampler(seed=1), directions)
    count, path = len(study.trials), tmp_path / "r.html"
    assert write_public(study, path, description="Mine.") == str(path)
    page = path.read_text("utf-8")
    for part in ("<h1>mine</h1>", "Mine.", "Next suggestions", f"trial {count}<", "c &lt;= 0", "<h2>Model check"):
        assert part in page
    assert len(study.trials) == count


def test_a_study_of_another_sampler_has_a_report_without_suggestions(tmp_path):
    study = sampled_study(optuna.samplers.RandomSampler(seed=4))
    failed = sum(trial.state == optuna.trial.TrialState.FAIL for trial in study.trials)
    page = (tmp_path / write_public(study, tmp_path / "r.html")).read_text("utf-8")
    assert "Next suggestions" not in page
    assert "RandomSampler" in page
    assert f"{failed} of 9 finished trials failed" in page or not failed


def test_forbidden_combinations_are_described_for_a_reader(opened):
    clauses = [{"a": "x", "b": [1, 2]}, {"b": {"from": 3, "to": 9}}]
    one = replace(opened, spec=opened.spec.model_copy(update={"forbid": clauses}))
    assert settings(one)["forbidden"] == "a x with b 1 or 2; b from 3, to 9"
