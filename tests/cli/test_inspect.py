"""Commands that look: status, best, trials, report, doctor, problems, init, demo, dashboard."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import urllib.request
from contextlib import closing
from importlib import metadata

import pytest

from casmopolitan.study.doctor import examined


def test_before_the_first_trial_nothing_is_made_and_the_way_is_said(quick):
    for command in ("status", "report"):
        assert "`casmopolitan run` or `casmopolitan ask` creates it" in quick.light(command, code=1).stderr
    assert not (quick.folder / "casmopolitan.db").exists()


def test_a_study_is_looked_at_from_every_side(quick):
    quick.write(
        "study.toml", (quick.folder / "study.toml").read_text().replace("print(len", "assert sys.argv[2] != '4'; print(len")
    )
    quick.light("run", "study.toml", "--budget", 7, "--no-report")
    status = quick.data("status")
    assert (status["study"], status["counted"], status["budget"]) == ("quick", 7, 6)
    assert "best" in quick.light("status").stdout
    best = quick.data("best")
    values = [row["value"] for row in quick.rows() if row["value"] is not None]
    assert best["value"] == min(values)
    assert f"value  {min(values)}" in quick.light("best").stdout
    assert [row["value"] for row in quick.light_data("best", "--top", 3)] == sorted(values)[:3]
    assert len(quick.light_data("trials", "--last", 2)) == 2
    table = quick("trials", "--state", "complete").stdout
    assert table.split()[:5] == ["trial", "state", "value", "a", "b"]
    page = quick.data("report", "--output", "page.html")["report"]
    assert (quick.folder / page).read_text().startswith("<!doctype html>")


def test_init_writes_an_example_that_runs(casmopolitan):
    assert "next: casmopolitan run study.toml" in casmopolitan("init").stdout
    assert "exists" in casmopolitan.light("init", code=1).stderr
    assert json.loads((casmopolitan.folder / "study.schema.json").read_text())["title"] == "casmopolitan study"
    data = casmopolitan.light_data("run", "--budget", 3)
    assert data["best"]["value"] > 0
    assert json.loads(casmopolitan.light("init", "--schema").stdout)["required"] == ["name", "budget", "variables"]


def test_the_demo_tunes_a_real_model_and_resumes(casmopolitan):
    pytest.importorskip("sklearn")
    first = casmopolitan("demo", "--budget", 3)
    assert "with the default settings" in first.stdout
    assert "report: casmopolitan-demo/demo-report.html" in first.stdout
    again = casmopolitan.light_data("demo", "--budget", 4)
    assert again["evaluations"] == 1
    assert again["counted"] == 4


def test_the_doctor_finds_what_is_wrong_and_says_the_fix(quick):
    checks = {finding["check"]: finding for finding in quick.data("doctor", "study.toml")}
    assert checks["study file"]["state"] == "ok"
    assert "creates it" in checks["study"]["found"]
    quick.light("ask")
    with closing(sqlite3.connect(quick.folder / "casmopolitan.db", isolation_level=None)) as base:
        base.execute("BEGIN IMMEDIATE")
        found = [finding.found for finding in examined(quick.folder / "study.toml") if finding.state == "wrong"]
    assert "is locked by another process" in found[0]
    shown = quick.light("doctor").stdout
    assert "note  reserved: trial 0 asked for by hand" in shown
    text = (quick.folder / "study.toml").read_text()
    quick.write("other.toml", text.replace('["python"', '["nosuchprogram"'))
    assert "FIX   objective: there is no program 'nosuchprogram'" in quick.light("doctor", "other.toml", code=1).stdout
    quick.write("broken.toml", "name = 3")
    assert "FIX   study file" in quick.light("doctor", "broken.toml", code=1).stdout


def test_problems_are_listed_and_shown(casmopolitan):
    assert "pest-25" in casmopolitan("problems").stdout.split()
    assert casmopolitan.light_data("problems", "pest-25")["variables"] == {"categorical": 25}
    assert "Did you mean" in casmopolitan.light("problems", "pst-25", code=1).stderr


def test_the_dashboard_serves_the_study_on_this_machine_only(quick, eventually, ended):
    pytest.importorskip("optuna_dashboard")
    quick.light("run", "study.toml", "--no-report")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = quick.started("dashboard", "study.toml", "--port", port)
    ended.append(process)

    def answer(path):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as page:
                return page.read().decode()
        except OSError:
            return ""

    eventually(lambda: answer("/api/studies"))
    study = json.loads(answer("/api/studies"))["study_summaries"][0]
    assert study["study_name"] == "quick"
    assert answer(f"/api/studies/{study['study_id']}?after=0")
    with socket.socket() as outside:
        outside.settimeout(2)
        address = _own_address()
        if address is not None:
            assert outside.connect_ex((address, port)) != 0
    os.killpg(process.pid, signal.SIGKILL)


def _own_address():
    """This machine's address on a network, when it has one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        address = probe.getsockname()[0]
    return None if address.startswith("127.") else address


def test_what_the_system_refuses_is_said_in_a_line(quick):
    quick.light("ask")
    for command in (["export", "-o"], ["report", "-o"], ["init"]):
        name = "nowhere/a.toml" if command == ["init"] else "nowhere/a"
        assert quick.light(*command, name, code=1).stderr.startswith(f"casmopolitan: {name}: No such file")
    assert "would hold CSV" in quick.light("export", "-o", "trials.xlsx", code=2).stderr
    quick.light("export", "-o", ".", code=1)
    for address, said in (
        ("postgresql://u:hunter2@localhost:notaport/n", "not the address of a database"),
        ("mysql://u:hunter2@h/n", "its driver is not installed"),
    ):
        quick.write(
            "other.toml", (quick.folder / "study.toml").read_text().replace("budget = 6", f'budget = 6\nstorage = "{address}"')
        )
        for done in (quick.light("ask", "other.toml", code=1).stderr, quick.light("doctor", "other.toml", code=1).stdout):
            assert said in done
            assert "hunter2" not in done


def test_status_counts_what_counts(lab):
    lab.write("past.csv", "solvent,temperature,value\nwater,30,1\nethanol,40.5,failed\n")
    lab.light("import", "past.csv")
    lab.light("ask")
    lab.light("tell", "--trial", 2, "--value", 1)
    assert "trials  1 complete, 0 failed, of 30" in lab.light("status").stdout


def test_a_damaged_database_gets_advice_that_can_be_followed(quick):
    quick.light("ask")
    file = quick.folder / "casmopolitan.db"
    file.write_bytes(b"SQLite format 3\0" + b"junk" * 4000)
    assert ".recover" in quick.light("doctor", code=1).stdout
    assert ".recover" in quick.light("status", code=4).stderr


def test_the_version_is_printed(casmopolitan):
    assert casmopolitan.light("--version").stdout == f"{metadata.version('casmopolitan')}\n"


def test_the_best_of_a_noisy_study_is_the_models_choice_and_says_so(lab):
    lab.write("study.toml", (lab.folder / "study.toml").read_text().replace("budget = 30", "budget = 30\nnoisy = true"))
    noise = [3.0, -2.0, 1.0, -4.0, 2.0, -1.0, 4.0, -3.0, 0.5, -0.5, 9.0, -1.5]
    lines = [f"water,{25 + 8 * k},{-0.05 * (25 + 8 * k) + e}" for k, e in enumerate(noise)]
    lab.write("past.csv", "\n".join(["solvent,temperature,value", *lines]) + "\n")
    lab.light("import", "past.csv")
    best = lab.light_data("status")["best"]
    assert best["value"] != max(row["value"] for row in lab.rows())
    assert "by the model's mean" in lab.light("status").stdout
    assert lab.light("best").stdout.startswith("model's mean")
    lab.light("report")
    page = (lab.folder / "study-report.html").read_text()
    assert "best by the model&#39;s mean" in page
    assert f"<b>{best['predicted']:.6g}</b>" in page


def test_the_best_few_of_a_noisy_study_are_different_configurations(lab):
    lab.write("study.toml", (lab.folder / "study.toml").read_text().replace("budget = 30", "budget = 30\nnoisy = true"))
    lines = [f"{solvent},{t},{k + t / 40}" for solvent, t in (("water", 30), ("ethanol", 60)) for k in range(3)]
    lab.write("past.csv", "\n".join(["solvent,temperature,value", *lines, "water,90,1"]) + "\n")
    lab.light("import", "past.csv")
    best = lab.light_data("best", "--top", 5)
    assert sorted((row["configuration"]["temperature"], row["evaluations"]) for row in best) == [(30, 3), (60, 3), (90, 1)]
    assert lab.light("best", "--top", 5).stdout.split()[:6] == ["trial", "state", "value", "model's", "mean", "evaluations"]
    assert "evaluations   3" in lab.light("best").stdout
