"""dashboard and doctor."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import sys
import urllib.request
from contextlib import closing

import pytest

from casmopolitan.study.doctor import examine


def test_the_doctor_finds_what_is_wrong_and_says_the_fix(quick):
    checks = {finding["check"]: finding for finding in quick.light_data("doctor", "study.toml")}
    assert checks["study file"]["state"] == "ok"
    assert "creates it" in checks["study"]["found"]
    quick.light("ask")
    with closing(sqlite3.connect(quick.folder / "casmopolitan.db", isolation_level=None)) as base:
        base.execute("BEGIN IMMEDIATE")
        found = [finding.found for finding in examine(quick.folder / "study.toml") if finding.state == "wrong"]
    assert "is locked by another process" in found[0]
    shown = quick.light("doctor").stdout
    assert "note  reserved: trial 0 is reserved by hand" in shown
    text = (quick.folder / "study.toml").read_text()
    quick.write("other.toml", text.replace('["python"', '["nosuchprogram"'))
    assert "FIX   objective: there is no program 'nosuchprogram'" in quick.light("doctor", "other.toml", code=1).stdout
    quick.write("broken.toml", "name = 3")
    assert "FIX   study file" in quick.light("doctor", "broken.toml", code=1).stdout


def test_a_damaged_database_gets_advice_that_can_be_followed(quick):
    quick.light("ask")
    file = quick.folder / "casmopolitan.db"
    file.write_bytes(b"SQLite format 3\0" + b"junk" * 4000)
    assert ".recover" in quick.light("doctor", code=1).stdout
    assert ".recover" in quick.light("status", code=4).stderr


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


def test_a_missing_dashboard_names_the_extra(quick, monkeypatch):
    quick.light("ask")
    monkeypatch.setitem(sys.modules, "optuna_dashboard", None)
    assert "pip install 'casmopolitan[dashboard]'" in quick.light("dashboard", code=1).stderr
