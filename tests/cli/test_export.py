"""export and report."""

from __future__ import annotations

import json


def test_what_the_system_refuses_is_said_in_a_line(quick):
    quick.light("ask")
    for command in (["export", "-o"], ["report", "-o"], ["init"]):
        name = "nowhere/a.toml" if command == ["init"] else "nowhere/a"
        assert quick.light(*command, name, code=1).stderr.startswith(f"casmopolitan: {name}: No such file")
    assert "has an unknown format" in quick.light("export", "-o", "trials.xls", code=2).stderr
    quick.light("export", "-o", ".", code=1)
    for address, said in (
        ("postgresql://u:hunter2@localhost:notaport/n", "not a database URL"),
        ("mysql://u:hunter2@h/n", "Install it, or use SQLite"),
    ):
        quick.write(
            "other.toml", (quick.folder / "study.toml").read_text().replace("budget = 6", f'budget = 6\nstorage = "{address}"')
        )
        for done in (quick.light("ask", "other.toml", code=4).stderr, quick.light("doctor", "other.toml", code=1).stdout):
            assert said in done
            assert "hunter2" not in done


def test_the_suffix_of_the_file_decides_its_format(quick):
    quick.light("ask", "-n", 2)
    assert "wrote 2 trials to t.csv" in quick.light("export", "-o", "t.csv").stderr
    assert (quick.folder / "t.csv").read_text("utf-8-sig").startswith("trial,")
    quick.light("export", "-o", "t.json")
    assert len(json.loads((quick.folder / "t.json").read_text())["trials"]) == 2
    assert len(quick.light_data("export")["trials"]) == 2
