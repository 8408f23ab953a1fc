"""Experiments by hand: ask, tell, cancel, import, over CSV, with every wrong cell named."""

from __future__ import annotations

import csv
import io
import json
import signal
import subprocess
import sys

import pytest

from casmopolitan.study.file.load import load
from casmopolitan.study.trials.known import KnownResult, record_known
from casmopolitan.study.trials.manual import reserve_trials
from casmopolitan.study.trials.open import open_spec


def filled(text, values):
    """A plan with some results written in, by trial."""
    rows = list(csv.DictReader(io.StringIO(text)))
    for row in rows:
        row["value"] = values.get(int(row["trial"]), "")
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0].keys())
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def test_ask_and_tell_over_csv_from_the_first_plan_to_a_better_one(lab):
    lab("ask", "-n", 4, "--csv", "plan.csv")
    plan = (lab.folder / "plan.csv").read_text()
    assert plan.splitlines()[0] == "trial,solvent,temperature,value,comment"
    assert lab.states() == {"asked": 4}
    other = lab.light("ask", "-n", 2).stdout  # a second person, before the first has told
    assert len({tuple(row["configuration"].values()) for row in lab.rows()}) == 6
    assert "temperature" in other
    lab.write("half.csv", filled(plan, {0: "12.5", 2: "failed"}))
    assert lab.light("tell", "half.csv").stdout == "2 trials told\n"
    assert lab.light("tell", "half.csv").stdout == "0 trials told, 2 already known\n"
    lab.write("rest.csv", filled(plan, {0: "12.5", 1: "1e1", 3: "14"}).replace(",", ";"))
    assert lab.light_data("tell", "rest.csv") == {
        "told": [1, 3],
        "known": 0,
        "again": 1,
        "corrected": [],
        "cancelled": [],
        "commented": [],
    }
    assert [row["value"] for row in lab.rows()] == [12.5, 10.0, None, 14.0, None, None]
    assert lab.light("tell", "--trial", 4, "--value", "15,5").stdout == "1 trial told\n"
    assert lab.light_data("cancel", "--all") == {"cancelled": [5]}
    assert lab.states() == {"complete": 4, "failed": 1, "cancelled": 1}
    assert lab.light_data("ask")[0]["source"] == "acquisition"
    assert "plan.csv exists" in lab.light("ask", "--csv", "plan.csv", code=2).stderr


def test_every_wrong_cell_is_named_by_row_and_column_and_nothing_is_recorded(lab):
    lab.light("ask", "-n", 3, "--csv", "plan.csv")
    rows = lab.rows()
    lines = [
        "trial,solvent,temperature,value",
        f"0,{rows[0]['configuration']['solvent']},{rows[0]['configuration']['temperature']},1.5",
        "1,vodka,50,2",
        "2,,99.5,3",
        "77,water,50,4",
        ",water,500,5",
        ",water,,6",
        "zero,water,50,7",
        ",water,50,good",
    ]
    lab.write("wrong.csv", "\n".join(lines) + "\n")
    said = lab.light("tell", "wrong.csv", code=1).stderr
    assert "nothing was recorded" in said
    for fragment in (
        "row 3, column 'solvent': got 'vodka'; its choices are",
        "row 4, column 'temperature': says 99.5, but trial 2 has",
        "row 5, column 'trial': there is no trial 77; clear the cell to add the line as a result from elsewhere",
        "row 6, column 'temperature': got 500.0",
        "row 7, column 'temperature': is empty",
        "row 8, column 'trial': got 'zero'",
        "row 9, column 'value': got 'good'",
    ):
        assert fragment in said, said
    assert lab.states() == {"asked": 3}
    order = [int(line.split()[1].strip(",:")) for line in said.splitlines()[1:]]
    assert order == sorted(order)


def test_a_told_value_cannot_change_and_a_cancelled_trial_can_still_be_told(lab):
    lab.light("ask", "-n", 2, "--csv", "-")
    lab.light("tell", "--trial", 0, "--value", 3)
    assert "was already told 3.0" in lab.light("tell", "--trial", 0, "--value", 4, code=1).stderr
    lab.light("cancel", 1)
    assert "trial 1 is not reserved (cancelled)" in lab.light("cancel", 1, code=1).stderr
    told = lab.light("tell", "--trial", 1, "--value", 5)
    assert told.stdout == "0 trials told, 1 result from elsewhere added\n"
    assert "cancelled before: trial 1; each result was added as a new trial" in told.stderr
    assert "give a results file" in lab.light("tell", code=2).stderr
    assert "--all" in lab.light("cancel", code=2).stderr


def test_exported_trials_are_imported_once_into_another_study(lab):
    lab.write("past.csv", "solvent,temperature,value\nwater,30,1\n'=2+3,40.5,2\n")
    assert lab.light_data("import", "past.csv") == {"added": 2, "known": 0, "left_out": 0}
    assert lab.light_data("import", "past.csv") == {"added": 0, "known": 2, "left_out": 0}
    lab.light("ask", "-n", 1, "--csv", "-")
    lab.light("export", "--output", "out.csv")
    lab.light("export", "--output", "OUT.JSON")
    (lab.folder / "OUT.JSON").rename(lab.folder / "out.json")
    exported = (lab.folder / "out.csv").read_text()
    assert "'=2+3" in exported
    assert json.loads((lab.folder / "out.json").read_text())["trials"][1]["configuration"]["solvent"] == "=2+3"
    text = (lab.folder / "study.toml").read_text()
    lab.write("two.toml", text.replace('name = "lab"', 'name = "two"'))
    assert lab.light_data("import", "two.toml", "out.json") == {"added": 2, "known": 0, "left_out": 1}
    assert lab.light_data("import", "two.toml", "out.csv") == {"added": 0, "known": 2, "left_out": 1}
    lab.write("bad.json", '{"format": "casmopolitan-trials", "version": 1, "trials": [{"state": "complete", "value": "x"}]}')
    assert "trials[0].value" in lab.light("import", "bad.json", code=1).stderr


def test_asking_beyond_a_finite_space_says_so(quick):
    text = (quick.folder / "study.toml").read_text().replace("high = 9", "high = 1")
    quick.write("study.toml", text)
    done = quick.light("ask", "-n", 5, code=5)
    assert "only 3 of 5" in done.stderr
    assert quick.states()["asked"] == 3


def test_nothing_is_reserved_where_the_plan_cannot_be_written(lab):
    assert "nowhere/plan.csv: No such file" in lab.light("ask", "-n", 2, "--csv", "nowhere/plan.csv", code=1).stderr
    assert not (lab.folder / "casmopolitan.db").exists()
    assert "both write to standard output" in lab.light("ask", "--csv", "-", "--json", code=2).stderr
    asked = lab.light_data("ask", "-n", 2, "--csv", "plan.csv")
    assert len((lab.folder / "plan.csv").read_text().splitlines()) == 1 + len(asked) == 3


def test_what_ask_prints_is_what_is_to_be_run(casmopolitan):
    alike = [f"tetrahydrofuran (anhydrous), stabilised with {agent}" for agent in ("BHT", "nothing at all")]
    casmopolitan.write(
        "study.toml",
        f"""
name = "wide"
budget = 30
seed = 0
[variables]
solvent = {{ type = "categorical", choices = {json.dumps(alike)} }}
zeta = {{ type = "integer", low = 1000000, high = 9999999 }}
seven = {{ type = "categorical", choices = ["7", 7] }}
""",
    )
    wide = casmopolitan.light("ask", "-n", 6).stdout
    rows = casmopolitan.rows()
    for row, line in zip(rows, wide.splitlines()[1:], strict=True):
        assert list(filter(None, map(str.strip, line.split("  ")))) == [
            str(row["number"]),
            row["configuration"]["solvent"],
            str(row["configuration"]["zeta"]),
            json.dumps(row["configuration"]["seven"]),
        ]
    names = "".join(f'more{k} = {{ type = "categorical", choices = ["{"x" * 30}", "{"y" * 30}"] }}\n' for k in range(8))
    text = (casmopolitan.folder / "study.toml").read_text().replace('"wide"', '"wider"') + names
    casmopolitan.write("wider.toml", text)
    assert "trial 0\n  solvent  " in casmopolitan.light("ask", "wider.toml").stdout


def test_a_changed_space_can_be_accepted_by_ask(lab):
    lab.light("ask", "-n", 2, "--csv", "-")
    lab.light("tell", "--trial", 0, "--value", 3)
    text = (lab.folder / "study.toml").read_text().replace('"ethanol"', '"ethanol", "DMF"')
    lab.write("study.toml", text)
    assert "`--accept-changes` (of `run` and `ask`)" in lab.light("ask", code=3).stderr
    done = lab.light("ask", "--accept-changes")
    assert "changes of study 'lab' accepted:\n  ~ solvent" in done.stderr
    assert "outside the current space" not in done.stderr
    assert [row["state"] for row in lab.rows()] == ["complete", "asked", "asked"]


def test_a_plan_from_before_a_change_can_still_be_told(lab):
    lab.light("ask", "-n", 6, "--csv", "plan.csv")
    choices = {row["configuration"]["solvent"] for row in lab.rows()}
    assert "ethanol" in choices
    text = (lab.folder / "study.toml").read_text().replace('"ethanol", ', "")
    lab.write("study.toml", text + '[variables.stirred]\ntype = "categorical"\nchoices = [true, false]\n')
    assert "outside the current space, kept but not used" in lab.light("ask", "--accept-changes").stderr
    lab.write("plan.csv", filled((lab.folder / "plan.csv").read_text(), {k: str(k) for k in range(6)}))
    assert lab.light("tell", "plan.csv").stdout == "6 trials told\n"
    assert [row["value"] for row in lab.rows()] == [*map(float, range(6)), None]
    lab.light("tell", "--replace", "--trial", 5, "--value", 50)
    shown = lab.light("trials").stdout
    assert "outside the current space, not used by the model: trial 0, 1, 2, 3, 4, 5" in shown
    assert "trial 5 corrected on 20" in shown
    assert ": 5.0 became 50.0" in shown
    lab.light("export", "-o", "out.json")
    exported = json.loads((lab.folder / "out.json").read_text())["trials"]
    assert [trial.get("outside") for trial in exported] == [True] * 6 + [None]
    assert exported[5]["corrections"][0]["before"] == 5.0
    lab.write("two.toml", (lab.folder / "study.toml").read_text().replace('name = "lab"', 'name = "two"'))
    assert lab.light_data("import", "two.toml", "out.json") == {"added": 0, "known": 0, "left_out": 7}


def test_a_cancelled_trial_has_one_result(lab):
    lab.light("ask")
    lab.light("cancel", 0)
    lab.light("tell", "--trial", 0, "--value", 3)
    assert lab.light_data("tell", "--trial", 0, "--value", 3) == {
        "told": [],
        "known": 0,
        "again": 1,
        "corrected": [],
        "cancelled": [],
        "commented": [],
    }
    assert (
        "trial 1 already has 3.0 at the same configuration; correct that trial with `--replace`"
        in lab.light("tell", "--trial", 0, "--value", 4, code=1).stderr
    )
    assert lab.light_data("tell", "--trial", 1, "--value", 4, "--replace")["corrected"] == [1]
    assert "there is no trial 999; `casmopolitan trials`" in lab.light("tell", "--trial", 999, "--value", 4, code=1).stderr


def test_asking_says_when_the_budget_or_the_space_is_over(quick):
    quick.write("study.toml", (quick.folder / "study.toml").read_text().replace("high = 9", "high = 2").replace("= 6", "= 5"))
    assert "that makes 6 trials, more than the budget of 5" in quick.light("ask", "-n", 6).stderr
    done = quick.light("ask", "--csv", "plan.csv", code=5)
    assert "nothing reserved: every other point has been tried or is reserved" in done.stderr
    assert "reserved in plan.csv" not in done.stderr
    assert not (quick.folder / "plan.csv").exists()


def test_a_plan_that_is_interrupted_or_cannot_be_written_is_given_back(lab, monkeypatch):
    spec = open_spec(load(lab.folder / "study.toml"), create=True)
    calls = iter(range(2))

    def interrupted(*args, **kwargs):
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return False

    monkeypatch.setattr("casmopolitan.study.trials.manual.repeats", interrupted)
    with pytest.raises(KeyboardInterrupt):
        reserve_trials(spec, 5)
    monkeypatch.undo()
    assert lab.states() == {"cancelled": 3}
    monkeypatch.setattr("casmopolitan.spreadsheet.table.cells_of", lambda *args: 1 / 0)
    lab.light("ask", "--csv", "plan.csv", code=1)
    monkeypatch.undo()
    assert lab.states() == {"cancelled": 4}
    assert not (lab.folder / "plan.csv").exists()
    (lab.folder / "full.csv").symlink_to("/dev/full")
    assert "exists" in lab.light("ask", "--csv", "full.csv", code=2).stderr
    assert (lab.folder / "full.csv").is_symlink()


def test_a_value_told_wrongly_is_corrected_and_nothing_else_changes(lab):
    lab.light("ask", "-n", 3, "--csv", "plan.csv")
    plan = (lab.folder / "plan.csv").read_text()
    lab.write("wrong.csv", filled(plan, {0: "715", 1: "3"}))
    lab.light("tell", "wrong.csv")
    before = lab.rows()
    assert "was already told 715.0; `--replace` corrects it" in lab.light("tell", "--trial", 0, "--value", 71.5, code=1).stderr
    done = lab.light("tell", "--replace", "--trial", 0, "--value", 71.5)
    assert done.stdout == "0 trials told, 1 corrected\n"
    after = lab.rows()
    (correction,) = after[0].pop("corrections")
    assert {**correction, "when": ""} == {"trial": 0, "before": 715.0, "after": 71.5, "when": ""}
    assert after[0] == {**before[0], "value": 71.5}
    assert after[1:] == before[1:]
    lab.write("all.csv", filled(plan, {0: "failed", 1: "3", 2: "4"}))
    assert lab.light_data("tell", "--replace", "all.csv") == {
        "told": [2],
        "known": 0,
        "again": 1,
        "corrected": [0],
        "cancelled": [],
        "commented": [],
    }
    assert [(row["state"], row["value"]) for row in lab.rows()] == [("failed", None), ("complete", 3.0), ("complete", 4.0)]
    assert lab.light_data("tell", "--replace", "--trial", 0, "--value", 7)["corrected"] == [0]
    assert [row["state"] for row in lab.rows()] == ["complete"] * 3
    assert lab.light_data("ask")[0]["number"] == 3


def test_hints_name_the_study_file_where_it_is_not_the_usual_one(lab):
    (lab.folder / "study.toml").rename(lab.folder / "other lab.toml")
    said = lab.light("ask", "other lab.toml", "--csv", "plan.csv").stderr
    assert "1 trial reserved in plan.csv" in said
    assert "`casmopolitan tell 'other lab.toml' plan.csv`" in said
    assert "`casmopolitan cancel 'other lab.toml' NUMBER`" in lab.light("ask", "other lab.toml").stderr
    assert lab.light_data("tell", "other lab.toml", "--trial", 0, "--value", 1)["told"] == [0]
    assert lab.light_data("tell", "other lab.toml", "plan.csv")["told"] == []
    assert lab.light_data("cancel", "other lab.toml", 1) == {"cancelled": [1]}
    assert lab.light_data("import", "other lab.toml", "plan.csv")["added"] == 0
    for command in (("tell", "plan.csv"), ("cancel", 0), ("import", "plan.csv")):
        assert "the study file comes first" in lab.light(*command, "other lab.toml", code=2).stderr


def test_a_queued_point_whose_result_came_meanwhile_is_not_handed_out(lab):
    text = (lab.folder / "study.toml").read_text()
    first = 'initial = [{solvent = "water", temperature = 30}, {solvent = "water", temperature = 40}]\n'
    lab.write("study.toml", text.replace("budget", f"{first}budget", 1))
    lab.light("ask")
    lab.write("known.csv", "solvent,temperature,value\nwater,40,2\n")
    lab.light("import", "known.csv")
    asked = lab.light_data("ask")
    assert len(asked) == 1
    assert asked[0]["configuration"] != {"solvent": "water", "temperature": 40}


def test_values_are_not_corrected_beside_a_run(lab):
    lab.light("ask", "-n", 2)
    lab.light("tell", "--trial", 0, "--value", 1)
    one = open_spec(load(lab.folder / "study.toml"))
    one.study._storage.set_trial_user_attr(one.study.trials[1]._trial_id, "casmo:run", {"by": "run", "worker": "w"})
    assert "a run is under way" in lab.light("tell", "--replace", "--trial", 0, "--value", 2, code=1).stderr


def test_an_export_of_another_version_is_refused(lab):
    lab.light("ask")
    document = {"format": "casmopolitan-trials", "version": 2, "trials": []}
    lab.write("later.json", json.dumps(document))
    assert "has version 2" in lab.light("import", "later.json", code=1).stderr


def test_what_could_not_be_delivered_is_not_reserved(lab):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "casmopolitan", "ask", "--csv", "-"],
            cwd=lab.folder,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            env=lab.environment,
        )
    assert done.returncode == 1
    assert lab.states().get("asked", 0) == 0


def test_tables_for_machines_are_utf_8_whatever_the_terminal_is(lab):
    text = (lab.folder / "study.toml").read_text().replace('"ethanol"', '"éthanol α"')
    lab.write("study.toml", text)
    lab.light("ask", "-n", 6)
    done = subprocess.run(
        [sys.executable, "-m", "casmopolitan", "export"],
        cwd=lab.folder,
        capture_output=True,
        check=True,
        env={**lab.environment, "PYTHONIOENCODING": "cp1252"},
    )
    assert "éthanol α" in done.stdout.decode()


def test_a_result_that_contradicts_a_trial_is_refused_or_corrects_it(lab):
    lab.write("own.csv", "solvent,temperature,value\nwater,50,33\n")
    lab.light("import", "own.csv")
    lab.write("own.csv", "solvent,temperature,value\nwater,50,3.3\n")
    wrong = "row 2: says 3.3, but trial 0 has 33.0 at the same configuration; "
    assert wrong + "`casmopolitan tell --replace` corrects a value" in lab.light("import", "own.csv", code=1).stderr
    assert wrong + "`--replace` corrects it" in lab.light("tell", "own.csv", code=1).stderr
    assert lab.light_data("tell", "own.csv", "--replace") == {
        "told": [],
        "known": 0,
        "again": 0,
        "corrected": [0],
        "cancelled": [],
        "commented": [],
    }
    assert [row["value"] for row in lab.rows()] == [3.3]
    lab.write("two.csv", "solvent,temperature,value\nwater,60,9\nwater,60,7\n")
    refused = lab.light("tell", "two.csv", "--replace", code=1).stderr
    assert "row 3: says 7.0, but row 2 has 9.0 at the same configuration; keep one of the two, or set noisy = true" in refused
    refused = lab.light("import", "two.csv", code=1).stderr
    assert "row 3: says 7.0, but row 2 has 9.0 at the same configuration; keep one of the two, or set noisy = true" in refused


def test_a_known_result_that_was_corrected_stays_so(lab):
    lab.write("past.csv", "solvent,temperature,value\nwater,20,410\nwater,20,400\n")
    lab.write("study.toml", 'known = "past.csv"\n' + (lab.folder / "study.toml").read_text())
    assert "known: row 3: says 400.0, but row 2 has 410.0 at the same configuration; keep one" in lab.light("ask").stderr
    lab.light("tell", "--trial", 0, "--value", 41, "--replace")
    said = lab.light("ask").stderr
    assert "known: row 2: says 410.0, but trial 0 has 41.0 at the same configuration; the study keeps its value" in said
    assert [row["value"] for row in lab.rows() if row["known"]] == [41.0]


def test_a_known_file_is_recorded_whole_or_not_at_all(lab):
    lab.write("past.csv", "trial,solvent,temperature,value\n0,water,20,4\n1,water,990,5\n")
    lab.write("study.toml", 'known = "past.csv"\n' + (lab.folder / "study.toml").read_text())
    assert "past.csv: 1 problem; nothing was recorded" in lab.light("ask", code=1).stderr
    assert lab.rows() == []


def test_equal_replicates_of_a_noisy_study_all_count(lab):
    lab.write("study.toml", "noisy = true\n" + (lab.folder / "study.toml").read_text())
    lab.write("past.csv", "solvent,temperature,value\n" + "water,20,5\n" * 3 + "water,20,4\n" + "water,30,failed\n" * 2)
    assert lab.light_data("import", "past.csv") == {"added": 6, "known": 0, "left_out": 0}
    assert lab.light_data("import", "past.csv") == {"added": 0, "known": 6, "left_out": 0}
    assert lab.states() == {"complete": 4, "failed": 2}


def test_a_corrected_failure_has_no_error_any_more(quick):
    text = (quick.folder / "study.toml").read_text()
    quick.write("study.toml", text.replace("print(", "sys.exit("))
    quick.light("run", "study.toml", "--no-report", "--budget", 2, code=1)
    assert quick.rows()[0]["error"]
    quick.light("tell", "--trial", 0, "--value", 3, "--replace")
    assert [(row["state"], row["value"], row["error"]) for row in quick.rows()[:1]] == [("complete", 3.0, None)]


def test_numbers_as_they_are_shown_are_the_trials_own(lab):
    lab.light("ask")
    row = lab.rows()[0]
    shown = f"{row['configuration']['temperature']:.6g}"
    lab.write("back.csv", f"trial,solvent,temperature,value\n0,{row['configuration']['solvent']},{shown},7\n")
    assert lab.light("tell", "back.csv").stdout == "1 trial told\n"


def test_a_plan_ended_by_a_signal_is_given_back_and_one_that_was_killed_is_freed(lab):
    """The sampler of the second trial sends the signal: the first is whole by then, the second is not."""

    def ended(number):
        command = [sys.executable, "-c", ENDED, str(int(number))]
        return subprocess.run(command, cwd=lab.folder, env=lab.environment, check=False).returncode

    for number, left in ((signal.SIGTERM, {"cancelled": 2}), (signal.SIGHUP, {"cancelled": 4})):
        assert ended(number) == 128 + number
        assert lab.states() == left
        assert not (lab.folder / "plan.csv").exists()
    assert ended(signal.SIGKILL) == -signal.SIGKILL
    assert lab.states() == {"cancelled": 4, "asked": 1, "running": 1}
    assert (
        "plan.csv is empty: another `ask` is writing it, or was killed; remove it"
        in lab.light("ask", "--csv", "plan.csv", code=2).stderr
    )
    assert "released trial 5" in lab.light("ask").stderr
    assert lab.states() == {"cancelled": 5, "asked": 2}


ENDED = """
import os, signal, sys
if int(sys.argv[1]) != signal.SIGKILL:
    signal.signal(int(sys.argv[1]), signal.SIG_DFL)  # these tests may themselves be run by nohup
from optuna.trial import Trial
from casmopolitan.cli.app import app
plain, made = Trial._suggest, []
def suggest(self, name, distribution):
    made.append(name)
    if len(made) == 4:
        os.kill(os.getpid(), int(sys.argv[1]))
    return plain(self, name, distribution)
Trial._suggest = suggest
app(["ask", "-n", "3", "--csv", "plan.csv"])
"""


def test_a_trial_is_cancelled_once_however_often_it_is_named(lab):
    lab.light("ask")
    assert lab.light_data("cancel", 0, 0) == {"cancelled": [0]}


def test_an_exported_file_is_marked_for_excel_and_a_stream_is_not(lab):
    text = (lab.folder / "study.toml").read_text().replace('"ethanol"', '"Äther"')
    lab.write("study.toml", text).write("past.csv", "solvent,temperature,value\nÄther,30,1\n")
    lab.light("import", "past.csv")
    lab.light("export", "-o", "out.csv")
    exported = (lab.folder / "out.csv").read_bytes()
    assert exported.startswith(b"\xef\xbb\xbftrial,")
    assert lab.light("export").stdout.encode() == exported[3:]
    lab.light("export", "-o", "out.json")
    assert (lab.folder / "out.json").read_bytes().startswith(b"{")
    assert lab.light_data("import", "out.csv") == {"added": 0, "known": 1, "left_out": 0}


def test_columns_of_peoples_own_are_named_as_not_read(lab):
    lab.light("ask")
    lab.write("back.csv", "trial,value,colour\n0,7,odd\n")
    assert "ignored: the column 'colour'" in lab.light("tell", "back.csv").stderr
    lab.write("past.csv", "solvent,temperature,value,who,when\nwater,20,5,me,May\n")
    assert "ignored: the columns 'who', 'when'" in lab.light("import", "past.csv").stderr


def test_a_plan_with_other_letters_is_marked_for_spreadsheets_and_read_back(lab):
    lab.write("study.toml", (lab.folder / "study.toml").read_text().replace('"water", "ethanol"', '"Äther", "Äthanol"'))
    lab.light("ask", "-n", 4, "--csv", "plan.csv")
    text = (lab.folder / "plan.csv").read_text(encoding="utf-8")
    assert text[0] == "\N{BYTE ORDER MARK}"
    lab.write("plan.csv", filled(text.removeprefix("\N{BYTE ORDER MARK}"), {0: "1"}))
    assert lab.light("tell", "plan.csv").stdout == "1 trial told\n"


def test_what_has_ended_is_taken_back_one_by_one_or_all_that_failed(quick):
    text = (quick.folder / "study.toml").read_text()
    quick.write("study.toml", text.replace("print(", "sys.exit("))
    quick.light("run", "study.toml", "--no-report", "--budget", 3, code=1)
    quick.write("study.toml", text)
    assert "`--replace` cancels trials that have ended" in quick.light("cancel", 0, code=1).stderr
    assert quick.light("cancel", "--failed").stdout == "cancelled: 0, 1, 2\n"
    assert quick.light("cancel", "--failed").stdout == "cancelled: no trial has failed\n"
    quick.light("run", "study.toml", "--no-report", "--budget", 3)
    assert quick.states() == {"cancelled": 3, "complete": 3}
    assert quick.light_data("cancel", 4, "--replace") == {"cancelled": [4]}
    assert quick.states() == {"cancelled": 4, "complete": 2}
    assert (
        "trial 4 has not ended (cancelled), trial 99 has not ended (does not exist)"
        in quick.light("cancel", 4, 99, "--replace", code=1).stderr
    )
    quick.light("cancel", "--all", "--failed", code=2)


def test_lines_of_one_file_that_contradict_each_other_are_refused(lab):
    lab.light("ask")
    row = lab.rows()[0]["configuration"]
    point = f"{row['solvent']},{row['temperature']!r}"
    lab.write("two.csv", f"trial,solvent,temperature,value\n0,,,5\n,{point},6\n")
    refused = lab.light("tell", "two.csv", code=1).stderr
    assert "row 3: says 6.0, but row 2 has 5.0 at the same configuration; keep one of the two" in refused
    lab.write("twice.csv", "trial,value\n0,5\n0,6\n")
    refused = lab.light("tell", "twice.csv", code=1).stderr.splitlines()[1:]
    assert refused == ["  row 3: trial 0 has another value in row 2; keep one of the two"]
    assert lab.states() == {"asked": 1}
    lab.write("own.csv", f"solvent,temperature,value\n{point},6\n")
    lab.light("tell", "own.csv")
    assert (
        "casmopolitan: says 5.0, but trial 1 has 6.0 at the same configuration"
        in lab.light("tell", "--trial", 0, "--value", 5, code=1).stderr
    )
    lab.light("tell", "--trial", 0, "--value", 6)
    lab.write("own.csv", f"solvent,temperature,value\n{point},failed\n")
    assert "row 2: says failed, but trial 1 has 6.0 at the same configuration" in lab.light("tell", "own.csv", code=1).stderr


def test_a_noisy_result_beside_an_equal_one_of_a_trial_counts(lab):
    lab.write("study.toml", "noisy = true\n" + (lab.folder / "study.toml").read_text())
    lab.light("ask")
    row = lab.rows()[0]["configuration"]
    point = f"{row['solvent']},{row['temperature']!r}"
    lab.write("two.csv", f"trial,solvent,temperature,value\n0,,,7\n,{point},7\n")
    assert lab.light_data("tell", "two.csv") == {
        "told": [0],
        "known": 1,
        "again": 0,
        "corrected": [],
        "cancelled": [],
        "commented": [],
    }
    lab.write("three.csv", f"trial,solvent,temperature,value\n0,,,7\n,{point},7\n,{point},7\n")
    assert lab.light_data("tell", "three.csv") == {
        "told": [],
        "known": 1,
        "again": 2,
        "corrected": [],
        "cancelled": [],
        "commented": [],
    }


def test_a_correction_goes_through_although_the_file_has_changed(lab):
    lab.light("ask", "-n", 3)
    lab.light("tell", "--trial", 0, "--value", 1)
    text = (lab.folder / "study.toml").read_text()
    lab.write("study.toml", "noisy = true\n" + text)
    lab.write("m.csv", "trial,value\n0,4\n1,9\n")
    assert lab.light_data("tell", "m.csv", "--replace") == {
        "told": [1],
        "known": 0,
        "again": 0,
        "corrected": [0],
        "cancelled": [],
        "commented": [],
    }
    assert [row["value"] for row in lab.rows()] == [4.0, 9.0, None]


def test_a_study_of_two_values_at_one_configuration_is_still_reported(lab):
    lab.write("past.csv", "solvent,temperature,value\n" + "".join(f"water,{20 + i},{i}\n" for i in range(6)))
    lab.light("import", "past.csv")
    one = open_spec(load(lab.folder / "study.toml"))
    record_known(one, [KnownResult({"solvent": "water", "temperature": 20.0}, 3.0)])
    lab.light("report")
    assert (lab.folder / "study-report.html").exists()


def test_values_that_are_decided_are_fixed(lab):
    rows = lab.light_data("ask", "--fixed", "solvent=water", "--fixed", "temperature=40")
    assert [row["configuration"] for row in rows] == [{"solvent": "water", "temperature": 40}]
    rows = lab.light_data("ask", "-n", 3, "--fixed", "solvent=ethanol")
    assert {row["configuration"]["solvent"] for row in rows} == {"ethanol"}
    refused = lab.light("ask", "--fixed", "solvnt=water", "--fixed", "solvent", code=1).stderr
    assert "'solvnt' is not a variable of the space. Did you mean 'solvent'?" in refused
    assert "got 'solvent'; write NAME=VALUE" in refused


def test_comments_are_kept_with_their_trials_through_corrections_and_exports(lab):
    lab.light("ask", "-n", 3, "--csv", "-")
    lab.write("back.csv", "trial,value,Remark\n0,7,=smelled odd\n1,failed,boiled over\n2,,waits\n")
    told = {"told": [0, 1], "known": 0, "again": 0, "corrected": [], "cancelled": [], "commented": [0, 1, 2]}
    assert lab.light_data("tell", "back.csv") == told
    assert lab.light("tell", "back.csv").stdout == "0 trials told, 2 already known\n"
    lab.write("back.csv", "trial,value,remark\n0,8,\n1,failed,boiled over twice\n")
    assert lab.light("tell", "back.csv", "--replace").stdout == "0 trials told, 1 corrected, 1 already known, 1 comment\n"
    assert [row.get("comment") for row in lab.rows()] == ["=smelled odd", "boiled over twice", "waits"]
    shown = lab.light("trials").stdout
    assert "trial 0 comment: =smelled odd\n" in shown
    assert lab.light("best").stdout.splitlines()[-1].split() == ["comment", "=smelled", "odd"]
    lab.light("cancel", 2)
    assert lab.light("tell", "--trial", 2, "--value", 3, "--comment", "late").stdout.startswith("0 trials told, 1 result")
    assert [row.get("comment") for row in lab.rows()][2:] == ["waits", "late"]
    text = (lab.folder / "study.toml").read_text()
    for name in ("out.csv", "out.json"):
        lab.light("export", "-o", name)
        lab.write("two.toml", text.replace('name = "lab"', f'name = "{name}"'))
        lab.light("import", "two.toml", name)
        assert [row.get("comment") for row in lab.rows("two.toml")] == ["=smelled odd", "boiled over twice", "late"]
    lab.light("tell", "--comment", "x", code=2)


def test_a_comment_can_be_told_beside_a_run(lab):
    lab.light("ask", "-n", 2)
    lab.light("tell", "--trial", 0, "--value", 1)
    one = open_spec(load(lab.folder / "study.toml"))
    one.study._storage.set_trial_user_attr(one.study.trials[1]._trial_id, "casmo:run", {"by": "run", "worker": "w"})
    assert lab.light("tell", "--trial", 0, "--value", 1, "--comment", "cloudy").stdout.endswith("1 comment\n")


def test_files_are_written_as_the_last_one_came(lab):
    lab.light("ask", "-n", 2, "-o", "one.csv")
    assert (lab.folder / "one.csv").read_text().startswith("trial,solvent")
    lab.write("back.csv", "trial;value\n0;7,5\n")
    lab.light("tell", "back.csv")
    lab.light("ask", "-o", "two.csv")
    heading, line = (lab.folder / "two.csv").read_text().splitlines()
    assert heading == "trial;solvent;temperature;value;comment"
    assert "," in line
    assert "." not in line
    assert lab.light("tell", "two.csv").stdout == "0 trials told\n"
    lab.light("export", "-o", "all.csv")
    assert "7,5" in (lab.folder / "all.csv").read_text()
    assert "7.5" in lab.light("export").stdout  # a stream is for programs
    lab.light("ask", "-o", "three.csv", "--decimal-point")
    assert (lab.folder / "three.csv").read_text().startswith("trial,solvent")
    lab.write("more.csv", "solvent,temperature,value\nwater,30,1.5\n")
    lab.light("import", "more.csv")
    lab.light("ask", "-o", "four.csv")
    assert (lab.folder / "four.csv").read_text().startswith("trial,solvent")
    assert lab.light("ask", "--csv", "-", "--decimal-comma").stdout.startswith("trial;solvent")


def test_a_plan_goes_through_a_workbook(lab):
    openpyxl = pytest.importorskip("openpyxl")
    lab.light("ask", "-n", 4, "-o", "plan.xlsx")
    book = openpyxl.load_workbook(lab.folder / "plan.xlsx")
    for row, (value, comment) in enumerate([(7.5, "'=1+1"), ("failed", None), (None, "waits")], start=2):
        book.active.cell(row, 4, value)
        book.active.cell(row, 5, comment)
    book.save(lab.folder / "filled.xlsx")
    assert lab.light("tell", "filled.xlsx").stdout == "2 trials told, 2 comments\n"
    assert [(row["state"], row["value"], row.get("comment")) for row in lab.rows()] == [
        ("complete", 7.5, "=1+1"),
        ("failed", None, None),
        ("asked", None, "waits"),
        ("asked", None, None),
    ]
    lab.light("export", "-o", "all.xlsx")
    assert lab.light_data("import", "all.xlsx")["known"] == 2
    assert "unknown format" in lab.light("ask", "-o", "plan.xls", code=2).stderr


def test_without_the_package_for_workbooks_nothing_is_reserved(lab, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    assert "pip install 'casmopolitan[excel]'" in lab.light("ask", "-o", "plan.xlsx", code=1).stderr
    assert not (lab.folder / "casmopolitan.db").exists()
