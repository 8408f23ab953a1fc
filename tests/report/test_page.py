"""The page: it opens offline, holds everything, and runs nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
import tempfile
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

import casmopolitan as cas
from casmopolitan.analysis.row import TrialRow, ranked
from casmopolitan.goals import Goals
from casmopolitan.report.facts import Facts, Found
from casmopolitan.report.model import summarise_model
from casmopolitan.report.page import render

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def test_the_page_holds_every_part(text):
    for title in (
        "Next suggestions",
        "Under way",
        "Convergence",
        "Trust region",
        "Relevance of the variables",
        "Around the best point",
        "Two variables together",
        "Model check",
        "The best trials side by side",
        "Best configurations",
        "All trials",
        "Failures",
        "Variables",
        "Settings",
        "Versions",
    ):
        assert f"<h2>{title}</h2>" in text, title
    assert "new region from trial" in text
    assert 'class="initial"' in text
    assert 'class="failed"' in text


def test_the_page_is_whole_and_reaches_for_nothing(text):
    assert not re.search(r"https?://|<link[^>]+stylesheet|url\(", text)
    assert re.findall(r"<script[^>]*>", text) == ["<script>"]
    script = text.partition("<script>")[2].partition("</script>")[0]
    fingerprint = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{fingerprint}'" in text
    assert "&lt;study&gt;" in text
    assert "<label hidden>" in text, "without the script there is no field that does nothing"
    assert "[hidden]{display:none!important}" in text
    for escaped in ("&lt;b&gt;boom", "&lt;i&gt;boiled", "What &lt;it&gt; is about"):
        assert escaped in text
    assert len(text) < 300_000

    class Balanced(HTMLParser):
        def __init__(self):
            super().__init__()
            self.stack = []

        def handle_starttag(self, tag, attrs):
            if tag not in ("meta", "link", "input"):
                self.stack.append(tag)

        def handle_startendtag(self, tag, attrs):
            pass

        def handle_endtag(self, tag):
            assert self.stack.pop() == tag

    parser = Balanced()
    parser.feed(text)
    assert parser.stack == []


def test_an_empty_study_and_one_of_failures_make_a_page(rows, space, config):
    facts = Facts("n", Goals.of("maximize"), 9, "today")
    assert "No trial has been completed yet" in render(facts, [], space)
    failed = [replace(row, state="failed", value=None) for row in rows[:3]]
    assert summarise_model(failed, space, config, 0, "maximize") is None
    assert "3 of 3 finished trials failed" in render(facts, failed, space)


def test_equal_and_enormous_values_are_drawn(rows, space):
    for values in ([1.0] * 9, [1e300, -1e300, 5.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0]):
        some = [replace(row, state="complete", value=value) for row, value in zip(rows, values, strict=False)]
        drawn = render(Facts("n", Goals.of("minimize"), 9, "today"), some, space)
        assert "nan" not in drawn.partition("<main>")[2]


PROBE = """<pre id="probe"></pre><script>
const boxes = [...document.querySelectorAll("svg")].map(s => {
  const frame = s.getBoundingClientRect(), inner = s.getBBox();
  return {width: frame.width, height: frame.height, marks: s.children.length, drawn: inner.width > 0 && inner.height > 0};
}).filter(box => box.width > 0);
const box = document.querySelector(".trials"), field = box.querySelector("input");
const column = name => [...box.querySelectorAll("th")].findIndex(head => head.textContent === name);
const cells = name => [...box.querySelectorAll("tbody tr:not([hidden])")].map(row => row.cells[column(name)].textContent);
const press = name => (box.querySelectorAll("th button")[column(name)].click(), cells(name));
const filter = text => (field.value = text, field.dispatchEvent(new Event("input")), cells("trial").length);
const table = {up: press("value"), down: press("value"), failed: filter("failed"), few: filter("trial<10 trial>=4"),
  none: filter("zzz"), count: box.querySelector(".count").textContent, all: filter("")};
const cards = [...document.querySelectorAll("section, header")].map(c => c.getBoundingClientRect().right);
document.getElementById("probe").textContent = JSON.stringify(
  {boxes, table, wide: Math.max(...cards),
   inner: document.documentElement.clientWidth, scroll: document.documentElement.scrollWidth});
</script>"""


def opened(path, width):
    """What a real browser makes of a page: its document, and what it logged."""
    with tempfile.TemporaryDirectory() as profile:
        switches = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
        quiet = "--disable-component-update --disable-sync --enable-logging=stderr --v=0 --dump-dom"
        command = [BROWSER, *switches.split(), *quiet.split(), f"--user-data-dir={profile}", f"--window-size={width},1200"]
        done = subprocess.run([*command, path.as_uri()], capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


@pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine; `make browser` says how to get one")
@pytest.mark.parametrize("width", [1400, 520])
def test_a_browser_draws_every_picture_and_logs_no_error(text, tmp_path, width):
    plain, probed = Path(tmp_path) / "plain.html", Path(tmp_path) / "probed.html"
    plain.write_text(text, "utf-8")
    document, logged = opened(plain, width)
    assert logged == []
    assert "<button" in document, "the policy of the page lets its script run"
    probed.write_text(
        re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text).replace("</body>", PROBE + "</body>")
    )
    document, logged = opened(probed, width)
    assert logged == []
    found = json.loads(re.search(r'<pre id="probe">(.*?)</pre>', document)[1].replace("&quot;", '"'))
    assert len(found["boxes"]) == text.count("<svg") - "".join(re.findall(r'<div class="tight">.*?</div>', text)).count("<svg")
    assert len(found["boxes"]) >= 11
    assert all(box["drawn"] and box["marks"] > 3 and box["width"] > 200 and box["height"] > 50 for box in found["boxes"])
    assert found["wide"] <= found["inner"]
    assert found["scroll"] <= found["inner"]
    table, trials = found["table"], text.partition('<div class="trials">')[2].partition("</table>")[0].count("<tr>") - 1
    up, down = ([float(value) for value in table[way] if value] for way in ("up", "down"))
    assert up == sorted(up)
    assert down == sorted(down, reverse=True)
    assert len(up) + table["failed"] + 1 == trials  # one is pending
    assert (table["few"], table["none"], table["count"], table["all"]) == (6, 0, f"0 of {trials}", trials)


@pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine; `make browser` says how to get one")
def test_the_page_prints_on_four_pages_at_most(text, tmp_path):
    page, printed = tmp_path / "page.html", tmp_path / "page.pdf"
    page.write_text(text, "utf-8")
    switches = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", f"--user-data-dir={tmp_path / 'profile'}"]
    subprocess.run(
        [BROWSER, *switches, f"--print-to-pdf={printed}", page.as_uri()], capture_output=True, timeout=120, check=True
    )
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", printed.read_bytes())) <= 4


@pytest.mark.parametrize(
    "values", [(0.3, 0.1 + 0.2), (1.0, 1 + 2**-52), (1e16, 1e16 + 4), (-1e308, 1e308), (5e-324, 1e-323), (0.0, 0.0)]
)
def test_values_that_hardly_differ_or_hardly_fit_a_float_are_drawn(values):
    space = cas.Space({"a": cas.Integer(1, 100), "x": cas.Real(0.1, 0.10000000000000002)})
    rows = [TrialRow(k, "complete", values[k % 2], {"a": k + 1, "x": 0.1}, {"source": "initial"}) for k in range(6)]
    facts = Facts("close", Goals.of("minimize"), 6, "today")
    assert "<svg" in render(facts, rows, space, Found([summarise_model(rows, space, cas.DEFAULT, 0, "minimize")]))


def test_the_table_of_the_best_has_each_configuration_once_and_the_mean_it_is_sorted_by():
    space = cas.Space({"a": cas.Categorical(["x", "y"])})
    best = [
        TrialRow(k, "complete", k / 4, {"a": a}, predicted=p) for k, a, p in ((0, "x", 0.125), (1, "x", 0.125), (2, "y", 0.375))
    ]
    drawn = render(Facts("noisy", Goals.of("minimize"), 3, "today"), best, space, best_first=best)
    table = drawn.partition("Best configurations")[2]
    cells = [re.findall(r"<t[dh][^>]*>([^<]*)<", line) for line in table.split("<tr>")[1:4]]
    assert cells == [
        ["trial", "model&#39;s mean", "value", "evaluations", "a"],
        ["0", "0.125", "0", "2", "x"],
        ["2", "0.375", "0.5", "1", "y"],
    ]
    exact = render(Facts("exact", Goals.of("minimize"), 3, "today"), best[1:], space).partition("Best configurations")[2]
    assert "evaluations" not in exact.partition("</section>")[0]


@pytest.mark.parametrize("damage", [{"optimiser": "adam"}, {}, {"optimiser": "adagrad", "lr": 1e-3}])
def test_a_trial_that_is_not_of_the_space_is_listed_and_neither_drawn_nor_learnt_from(rows, damage, space, config):
    whole = {**rows[20].configuration, **damage} if len(damage) > 1 else damage
    foreign = TrialRow(len(rows), "complete", -5.0, whole)
    best_first = [foreign, *ranked(rows, Goals.of("minimize"))]
    model = summarise_model([*rows, foreign], space, config, 1, "minimize", best_first)
    assert model.trials == sum(row.state == "complete" for row in rows)
    drawn = render(Facts("damaged", Goals.of("minimize"), 45, "today"), [*rows, foreign], space, Found([model]), best_first)
    beside, _, listed = drawn.partition("The best trials side by side")[2].partition("Best configurations")
    assert f"trial {foreign.number}" not in beside
    assert "trial" in beside
    assert f"<td>{foreign.number}</td><td>-5</td>" in listed
