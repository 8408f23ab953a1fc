"""`casmopolitan run`: start, resume, fail, be killed, share a file, and say so with the exit code."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

from casmopolitan.cli.run import warn_about_timing
from casmopolitan.execution.process import signature
from casmopolitan.goals import ONE_OBJECTIVE
from casmopolitan.study.file.load import load
from casmopolitan.study.sampler.records import NOTE
from casmopolitan.study.trials.open import open_spec

SLEEPY = """
name = "sleepy"
budget = 8
seed = 3
parallel = {parallel}
[variables.a]
type = "integer"
low = 1
high = 50
[objective]
function = "sleepy:work"
"""

WORK = """
import os, pathlib, time
def work(c):
    pathlib.Path(f"began-{c['a']}").touch()
    while not pathlib.Path("go").exists():
        time.sleep(0.02)
    return abs(c["a"] - 20)
"""


@pytest.fixture
def sleepy(casmopolitan):
    casmopolitan.write("sleepy.py", WORK)
    return casmopolitan.write("study.toml", SLEEPY.format(parallel=1))


def begun(folder):
    return sorted(folder.glob("began-*"))


def failing(quick, command, more=""):
    text = (quick.folder / "study.toml").read_text()
    return quick.write("study.toml", re.sub(r"command = .*", f"command = {command}\n{more}", text))


def test_a_run_spends_its_budget_writes_a_report_and_resumes(quick):
    first = quick("run", "study.toml")
    assert "[6/6]" in first.stderr
    assert "stopped because the budget is spent" in first.stderr
    assert "for more trials, raise `budget` in study.toml" in first.stderr
    assert "best value" in first.stdout
    assert (quick.folder / "study-report.html").exists()
    again = quick.light("run", "study.toml")
    assert "resuming 'quick': 6 of 6" in again.stderr
    more = quick.light_data("run", "study.toml", "--budget", 8, "--no-report")
    assert (more["counted"], more["complete"], more["stopped"], more["evaluations"]) == (8, 8, "budget", 2)
    assert more["report"] is None


def test_stopped_and_resumed_equals_one_run(quick):
    text = (quick.folder / "study.toml").read_text()
    quick.write("whole.toml", text.replace('name = "quick"', 'name = "whole"'))
    quick.light("run", "whole.toml", "--budget", 8, "--no-report")
    quick.light("run", "study.toml", "--budget", 5, "--no-report")
    quick("run", "study.toml", "--budget", 8, "--no-report")
    configurations = [row["configuration"] for row in quick.rows()]
    assert configurations == [row["configuration"] for row in quick.rows("whole.toml")]
    assert any(row["source"] == "acquisition" for row in quick.rows()[5:])


FAILURES = """
import os, sys, time
print("so far", flush=True)
kind = int(sys.argv[3]) % 8
if kind == 0: sys.exit(3)
if kind == 1: print("nan")
if kind == 2: os._exit(0)
if kind == 3: time.sleep(99)
if kind == 4: os.kill(os.getpid(), 9)
if kind == 5: sys.stdout.buffer.write(b"\\xff\\n")
if kind == 6: print("done")
if kind == 7: print(1.5)
"""


def test_every_failure_is_recorded_with_what_it_printed_and_the_study_goes_on(quick):
    quick.write("fails.py", FAILURES)
    failing(quick, '["python", "-S", "fails.py", "{a}", "{b}", "{trial}"]', "time_limit = 1")
    done = quick.light("run", "study.toml", "--budget", 8, "--no-report")
    assert "8 trials, 7 failed" in done.stderr
    rows = quick.rows()
    errors = [row["error"] for row in rows]
    assert "exit code 3" in errors[0]
    assert "its value is nan" in errors[1]
    assert "'so far', which is not a number" in errors[2]
    assert errors[3] == "stopped at its time limit of 1 s"
    assert errors[4] == "killed by signal 9 (SIGKILL)"
    assert "not text" in errors[5]
    assert "'done', which is not a number" in errors[6]
    assert errors[7] is None
    assert all(row["tail"].startswith("so far") for row in rows[:7])


SILENT_OR_GREEDY = """
import sys, time
if int(sys.argv[3]) % 3 == 0:
    eaten = []
    for _ in range(600):
        eaten.append(bytearray(b"x" * 10_000_000))
        time.sleep(0.01)
if int(sys.argv[3]) % 3 == 2:
    print(2.5)
"""


def test_a_trial_that_eats_memory_or_prints_nothing_is_a_recorded_failure(quick):
    quick.write("fails.py", SILENT_OR_GREEDY)
    failing(quick, '["python", "-S", "fails.py", "{a}", "{b}", "{trial}"]', 'memory_limit = "200 MB"\ntime_limit = 60')
    quick.light("run", "study.toml", "--budget", 3, "--no-report")
    errors = [row["error"] for row in quick.rows()]
    assert errors[0] == "stopped at its memory limit of 200 MB"
    assert "it printed nothing" in errors[1]
    assert errors[2] is None


def test_a_hopeless_run_gives_up_unless_told_to_keep_going(quick):
    failing(quick, '["false", "{a}", "{b}"]')
    done = quick.light("run", "study.toml", "--budget", 12, code=1)
    assert "the first trials all failed" in done.stderr
    assert quick.states() == {"failed": 10}
    quick.light("run", "study.toml", "--budget", 12, "--keep-going", code=1)
    assert quick.states() == {"failed": 12}


def test_a_program_that_does_not_exist_ends_the_run_at_once(quick):
    failing(quick, '["/no/such/program", "{a}", "{b}"]')
    done = quick.light("run", "study.toml", code=1)
    assert "could not be started" in done.stderr
    assert "the program cannot be started" in done.stderr
    assert quick.states() == {"cancelled": 1}


@pytest.mark.parametrize("target", ["nofile:score", "mine:nothing", "broken:score"])
def test_a_function_that_is_not_there_costs_no_trial(quick, target):
    quick.write("mine.py", "def score(c):\n    return c['b']\n").write("broken.py", "import no_such_package\n")
    text = (quick.folder / "study.toml").read_text().partition("[objective]")[0]
    text += '[[initial]]\na = "q"\nb = 7\n'
    quick.write("study.toml", text + f'[objective]\nfunction = "{target}"\n')
    done = quick.light("run", "study.toml", code=1)
    assert f"{target} could not be imported: " in done.stderr
    assert quick.states() == {"cancelled": 1}
    quick.write("study.toml", text + '[objective]\nfunction = "mine:score"\n')
    quick.light("run", "study.toml")
    assert quick.states()["complete"] == 6
    assert next(row for row in quick.rows() if row["state"] == "complete")["configuration"] == {"a": "q", "b": 7}


def test_an_import_that_fails_once_is_a_failed_trial_and_no_end(quick):
    quick.write(
        "mine.py",
        "import os\nif os.environ['CASMOPOLITAN_TRIAL'] == '2':\n    raise OSError('busy')\nscore = lambda c: c['b']\n",
    )
    text = (quick.folder / "study.toml").read_text().partition("[objective]")[0]
    quick.write("study.toml", text + '[objective]\nfunction = "mine:score"\n')
    quick.light("run", "study.toml")
    assert quick.states() == {"complete": 5, "failed": 1}


def test_an_exhausted_space_stops_with_its_own_code(quick):
    text = (quick.folder / "study.toml").read_text().replace("high = 9", "high = 2")
    quick.write("study.toml", text)
    data = quick.light_data("run", "study.toml", "--budget", 20, code=5)
    assert (data["stopped"], data["complete"], data["budget"]) == ("exhausted", 6, 20)


def test_trials_under_way_end_well_when_a_space_is_exhausted(quick):
    text = (
        (quick.folder / "study.toml")
        .read_text()
        .replace("high = 9", "high = 3")
        .replace("import sys;", "import sys, time; time.sleep(0.7);")
    )
    quick.write("study.toml", text)
    quick.light("run", "study.toml", "--parallel", 4, "--budget", 20, code=5)
    assert quick.states()["complete"] == 9


def test_a_space_of_one_point_is_evaluated_once(quick):
    text = (quick.folder / "study.toml").read_text().replace("high = 9", "high = 1").replace('["p", "q", "r"]', '["p"]')
    quick.write("study.toml", text)
    assert quick.light_data("run", "study.toml", "--parallel", 2, code=5)["complete"] == 1
    assert "nothing reserved" in quick.light("ask", code=5).stderr


def test_a_report_that_cannot_be_written_hides_no_result(quick):
    (quick.folder / "study-report.html").mkdir()
    done = quick.light("run", "study.toml")
    assert "best value" in done.stdout
    assert "the report could not be written: " in done.stderr


def test_two_runs_in_plain_lines_count_and_rank_together(quick):
    quick.light("run", "study.toml", "--budget", 3)
    first = min(row["value"] for row in quick.rows())
    done = quick.light("run", "study.toml", "--budget", 5)
    lines = [line for line in done.stderr.splitlines() if line.startswith("[")]
    assert [line.partition("]")[0] for line in lines] == ["[4/5", "[5/5"]
    assert float(lines[0].partition("best ")[2].partition(" ")[0]) <= first


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_finishes_writing_and_a_later_run_goes_on(sleepy, eventually, ended, number, code):
    process = sleepy.started("run", "study.toml")
    ended.append(process)
    eventually(lambda: begun(sleepy.folder))
    process.send_signal(number)
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == code
    assert "stopping; press Ctrl-C again to quit at once" in stderr
    assert "it was interrupted" in stderr
    assert "run again to continue" in stderr
    assert sleepy.states() == {"cancelled": 1}
    if number == signal.SIGINT:
        (sleepy.folder / "go").touch()
        assert sleepy.light_data("run", "study.toml", "--no-report")["complete"] == 8


def test_a_second_signal_quits_at_once(sleepy, eventually, ended):
    (sleepy.folder / "sleepy.py").write_text("import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + WORK)
    process = sleepy.started("run", "study.toml")
    ended.append(process)
    eventually(lambda: begun(sleepy.folder))
    process.send_signal(signal.SIGTERM)
    eventually(lambda: "stopping" in process.stderr.readline())
    process.send_signal(signal.SIGTERM)
    process.wait(60)
    assert process.returncode == 143


def test_kill_minus_nine_loses_no_completed_trial_and_the_next_run_finishes(sleepy, eventually, ended):
    (sleepy.folder / "go").touch()
    sleepy.light("run", "study.toml", "--budget", 3, "--no-report")
    before = {row["number"]: row for row in sleepy.rows()}
    (sleepy.folder / "go").unlink()
    seen = len(begun(sleepy.folder))
    process = sleepy.started("run", "study.toml", "--parallel", 2)
    ended.append(process)
    eventually(lambda: len(begun(sleepy.folder)) >= seen + 2)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    assert sleepy.states()["running"] == 2
    sick = sleepy.light_data("doctor", "study.toml", code=1)
    assert any(finding["check"] == "stale trials" and "--fix" in finding["fix"] for finding in sick)
    (sleepy.folder / "go").touch()
    done = sleepy.light("run", "study.toml", "--no-report")
    assert "released trial 3, trial 4" in done.stderr
    rows = {row["number"]: row for row in sleepy.rows()}
    assert all(rows[number] == row for number, row in before.items())
    assert sleepy.states() == {"complete": 8, "cancelled": 2}
    tried = [rows[n]["configuration"] for n in (3, 4)]
    repeated = [row["configuration"] for n, row in rows.items() if n > 4 and row["state"] == "complete"]
    assert all(configuration in repeated for configuration in tried)


def test_two_runs_share_a_file_and_its_budget(sleepy, eventually, ended):
    processes = [sleepy.started("run", "study.toml", "--parallel", 2, "--no-report") for _ in range(2)]
    ended.extend(processes)
    eventually(lambda: len(begun(sleepy.folder)) >= 3)
    (sleepy.folder / "go").touch()
    for process in processes:
        process.communicate(timeout=120)
    assert [process.returncode for process in processes] == [0, 0]
    rows = sleepy.rows()
    complete = [row for row in rows if row["state"] == "complete"]
    assert len(complete) == 8
    assert len({row["configuration"]["a"] for row in complete}) == 8
    assert all(row["state"] in ("complete", "cancelled") for row in rows)


def test_a_changed_space_is_shown_and_stops_until_it_is_accepted(quick):
    quick.light("run", "study.toml", "--no-report")
    before = quick.rows()
    text = (quick.folder / "study.toml").read_text()
    quick.write("study.toml", text.replace("high = 9", "high = 5").replace("budget = 6", "budget = 9"))
    stopped = quick.light("run", "study.toml", code=3)
    assert "~ b: integer (low 1, high 9" in stopped.stderr
    assert "--accept-changes" in stopped.stderr
    looked = quick.light("best")
    assert "study 'quick' is shown with the space and settings in the database" in looked.stderr
    assert len(quick.rows()) == 6
    done = quick.light("run", "study.toml", "--accept-changes", "--no-report")
    out = [row["number"] for row in before if row["configuration"]["b"] > 5]
    assert f"outside the current space, kept but not used by the model: trial {', '.join(map(str, out))}" in done.stderr
    after = quick.rows()
    assert [{**row, "outside": None} for row in after[:6]] == [{**row, "outside": None} for row in before]
    assert [row["number"] for row in after if row.get("outside")] == out
    assert [row["state"] for row in after] == ["complete"] * 9
    assert all(row["configuration"]["b"] <= 5 for row in after[6:])


def test_a_result_of_a_variable_that_is_gone_stays_in_the_history(quick):
    quick.light("run", "study.toml", "--no-report")
    text = (quick.folder / "study.toml").read_text()
    fewer = text.replace('[variables.b]\ntype = "integer"\nlow = 1\nhigh = 9\n', "").replace("(int(sys.argv[2]) - 4) ** 2", "0")
    quick.write("study.toml", fewer.replace(', "{b}"', ""))
    done = quick.light("ask", "--accept-changes")
    assert "outside the current space, kept but not used by the model: trial 0, 1, 2, 3, 4, 5" in done.stderr
    rows = quick.rows()
    assert all("b" in row["configuration"] for row in rows[:6])
    assert set(rows[6]["configuration"]) == {"a"}


def test_changes_are_not_accepted_under_a_run_that_is_under_way(quick):
    quick.light("run", "study.toml", "--no-report")
    study = open_spec(load(quick.folder / "study.toml")).study
    trial = study.ask()
    trial.set_user_attr(NOTE, {"by": "run", "worker": signature()})
    text = (quick.folder / "study.toml").read_text()
    quick.write("study.toml", text.replace("high = 9", "high = 12"))
    refused = quick.light("run", "study.toml", "--accept-changes", "--no-report", code=1)
    assert "a run is under way (trial 6); wait until it has ended, or stop it" in refused.stderr
    assert len(quick.rows()) == 7


def test_looking_and_telling_need_no_file_that_only_trials_need(quick):
    quick.write("past.csv", "a,b,value\np,4,1\n")
    text = (quick.folder / "study.toml").read_text()
    quick.write(
        "study.toml",
        text.replace("budget = 6", 'budget = 6\nknown = "past.csv"').replace("[objective]", '[objective]\nfolder = "gone"'),
    )
    (quick.folder / "gone").mkdir()
    quick.light("ask")
    (quick.folder / "gone").rmdir()
    (quick.folder / "past.csv").unlink()
    assert quick.light_data("status")["known"] == 1
    quick.light("tell", "--trial", 1, "--value", 3)
    refused = quick.light("ask", code=2).stderr
    assert "known: the file 'past.csv' does not exist" in refused
    assert "objective.folder: 'gone' is not a folder" in refused


def test_a_changed_direction_is_refused(quick):
    quick.light("run", "study.toml", "--no-report")
    text = (quick.folder / "study.toml").read_text()
    quick.write("study.toml", text.replace("budget = 6", 'budget = 6\ndirection = "maximize"'))
    assert "~ direction: minimize became maximize" in quick.light("run", "study.toml", code=3).stderr
    refused = quick.light("run", "study.toml", "--accept-changes", "--no-report", code=1).stderr
    assert "minimize became maximize. The objectives of a study and their directions cannot change" in refused
    assert quick.light_data("status")["direction"] == "minimize"


def test_known_results_and_initial_configurations_come_first(quick):
    quick.write("past.csv", "a,b,value\np,4,1\nq,5,2\n")
    text = (quick.folder / "study.toml").read_text()
    head = 'known = "past.csv"\ninitial = [{a = "q", b = 9}]\n'
    quick.write("study.toml", text.replace("budget = 6", f"budget = 6\n{head}"))
    quick.light("run", "study.toml", "--no-report")
    rows = quick.rows()
    assert [row["known"] for row in rows[:2]] == [True, True]
    assert rows[2]["configuration"] == {"a": "q", "b": 9}
    data = quick.light_data("run", "study.toml", "--no-report")
    assert (data["known"], data["counted"]) == (2, 6)


def test_a_study_file_with_problems_lists_them_and_exits_2(casmopolitan):
    casmopolitan.write("study.toml", 'name = "x"\nbudget = -1\n')
    done = casmopolitan.light("run", "study.toml", code=2)
    assert "2 problems" in done.stderr
    casmopolitan.light("run", "nofile.toml", code=2)


def test_a_study_without_an_objective_says_what_to_do(lab):
    assert "casmopolitan ask" in lab.light("run", "study.toml", code=2).stderr


def test_on_windows_a_run_says_what_works_instead(quick, monkeypatch):
    monkeypatch.setattr("casmopolitan.cli.run.sys", SimpleNamespace(platform="win32"))
    assert "Use WSL; or `casmopolitan ask`" in quick.light("run", "study.toml", code=1).stderr
    assert not list(quick.folder.glob("*.db"))


def test_a_database_that_cannot_be_opened_exits_4_and_shows_no_secret(quick, monkeypatch):
    text = (quick.folder / "study.toml").read_text()
    address = "postgresql://someone:${SECRET}@no-such-host.invalid/nobody"
    quick.write("study.toml", text.replace("budget = 6", f'budget = 6\nstorage = "{address}"'))
    monkeypatch.setenv("SECRET", "hunter2")
    done = quick.light("run", "study.toml", code=4)
    assert "someone:***@no-such-host.invalid" in done.stderr
    assert "hunter2" not in done.stderr + done.stdout


def test_a_live_view_in_a_terminal(quick, ended):
    terminal, inner = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "casmopolitan", "run", "study.toml"],
        cwd=quick.folder,
        env={**quick.environment, "TERM": "xterm"},
        stdin=inner,
        stdout=inner,
        stderr=inner,
        start_new_session=True,
    )
    ended.append(process)
    os.close(inner)
    shown = b""
    while True:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:  # the last process has closed its side
            break
        if not chunk:
            break
        shown += chunk
    os.close(terminal)
    assert process.wait(60) == 0
    for word in ("quick", "trials", "best", "region", "6/6", "▁", "radius", "elapsed", "last"):
        assert word in shown.decode(), word
    assert {len(border) for border in re.findall("╰─*", shown.decode())} == {95}, "of 100 columns, four are left for ^C^C"


@pytest.mark.parametrize(("parallel", "key", "warned"), [(2, "seconds", True), (1, "seconds", False), (2, "error", False)])
def test_times_that_are_measured_in_parallel_are_warned_about(parallel, key, warned, capsys):
    opened = SimpleNamespace(goals=ONE_OBJECTIVE, rows=lambda trials: trials)
    assert warn_about_timing(SimpleNamespace(parallel=parallel, trials=[]), opened, key) is warned
    assert ("casmopolitan: 'seconds' sounds like a measured time" in capsys.readouterr().err) is warned


def test_another_program_is_said(quick):
    quick.light("run", "study.toml", "--no-report", "--budget", 2)
    text = (quick.folder / "study.toml").read_text()
    quick.write("study.toml", text.replace("- 4) ** 2", "- 5) ** 2"))
    said = quick.light("run", "study.toml", "--no-report", "--budget", 3).stderr
    assert "study 'quick' was created with the program `python -S -c" in said
    assert "give the study another name" in said


def test_the_demo_tunes_a_real_model_from_the_defaults_of_scikit_learn_and_resumes(casmopolitan):
    datasets, selection = pytest.importorskip("sklearn.datasets"), pytest.importorskip("sklearn.model_selection")
    svm = pytest.importorskip("sklearn.svm")
    folds = selection.KFold(5, shuffle=True, random_state=0)
    inputs = datasets.load_diabetes(return_X_y=True)
    expected = -selection.cross_val_score(svm.SVR(), *inputs, cv=folds, scoring="neg_mean_absolute_error").mean()
    first = casmopolitan("demo", "--budget", 2)
    assert f"mean error {expected:.2f} with the default settings" in first.stdout
    assert "report: casmopolitan-demo/demo-report.html" in first.stdout
    again = casmopolitan.light_data("demo", "--budget", 3)
    assert again["evaluations"] == 1
    assert again["counted"] == 3
