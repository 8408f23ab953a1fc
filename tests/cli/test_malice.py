"""Hostile files and hostile words execute nothing, neither here nor in a browser or a spreadsheet."""

from __future__ import annotations

import html
from importlib.resources import files

EVIL = "</title><script>alert(1)</script>"
MINE = f"""
import json, sys
y = json.load(sys.stdin)["y"]
print("{EVIL}", file=sys.stderr)
print(y) if y > 0.3 else sys.exit(1)
"""


def test_a_study_full_of_markup_makes_a_page_with_no_script_but_its_own(casmopolitan):
    casmopolitan.write(
        "study.toml",
        f"""
name = "{EVIL}"
budget = 9
[variables."{EVIL}"]
type = "categorical"
choices = ["{EVIL}", "<img src=x onerror=alert(1)>", "$(touch ran)"]
[variables.y]
type = "real"
low = 0
high = 1
[objective]
command = ["python", "-S", "mine.py"]
stdin = "json"
""",
    )
    casmopolitan.write("mine.py", MINE)
    casmopolitan.light("run", "study.toml", "--keep-going")
    page = (casmopolitan.folder / "study-report.html").read_text()
    own = (files("casmopolitan.report") / "page.js").read_text("utf-8")
    assert page.count("<script") == page.count(f"<script>{own}</script>") == 1
    assert "script-src 'sha256-" in page
    assert "<img" not in page
    assert html.escape(EVIL) in page
    assert "default-src 'none'" in page
    assert not (casmopolitan.folder / "ran").exists()


def test_looking_at_a_study_runs_none_of_its_code(casmopolitan):
    casmopolitan.write("mine.py", "open('ran', 'w').close()\ndef f(c): return 1.0\n")
    casmopolitan.write(
        "study.toml",
        'name = "n"\nbudget = 3\n[variables.y]\ntype = "real"\nlow = 0\nhigh = 1\n[objective]\nfunction = "mine:f"\n',
    )
    casmopolitan.light("doctor", "study.toml")
    casmopolitan.light("ask", "study.toml")
    casmopolitan.light("status", "study.toml")
    assert not (casmopolitan.folder / "ran").exists()


def test_results_files_are_data_and_nothing_else(lab):
    lab.light("ask", "-n", 1, "--csv", "-")
    for cell in ("=cmd|'/C calc'!A0", "__import__('os').system('touch ran')", "{x.__class__}", "$(touch ran)"):
        lab.write("r.csv", f'trial,value\n0,"{cell}"\n')
        assert "row 2, column 'value'" in lab.light("tell", "r.csv", code=1).stderr
    lab.write("r.json", '{"__reduce__": ["os.system", ["touch ran"]]}')
    assert "is not an export of trials" in lab.light("import", "r.json", code=1).stderr
    assert not (lab.folder / "ran").exists()
    assert lab.states() == {"asked": 1}
