"""The report: one page that opens offline, draws everything, and runs nothing."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
import tempfile
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

import casmopolitan as cas
from casmopolitan.study.report.model import learnt
from casmopolitan.study.report.page import Facts, page
from casmopolitan.study.report.pictures import prediction, regions, slice_of
from casmopolitan.study.report.svg import Scale, labels, log_ticks, room, ticks
from casmopolitan.study.trials.row import TrialRow, ranked

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SPACE = cas.Space(
    {
        "optimiser": cas.Categorical(["sgd", "adam", "rmsprop"]),
        "layers": cas.Ordinal([2, 4, 8]),
        "lr": cas.Real(1e-5, 1e-1, log=True),
        "width": cas.Integer(16, 512, 16),
        "seeded": cas.Categorical([True, False, None]),
        "fixed": cas.Categorical(["one"]),
        "step": cas.Real(0, 1, 0.1),
    }
)
CONFIG = cas.Config(n_initial=8, failure_tolerance=2, initial_radius=2, initial_length=0.1, fit_starts=1, fit_steps=30)


def loss(c):
    if c["optimiser"] == "sgd":
        raise ValueError("diverged")
    return math.log10(c["lr"] / 1e-3) ** 2 + abs(c["layers"] - 4) + abs(c["width"] - 256) / 300


@pytest.fixture(scope="module")
def rows():
    result = cas.minimize(loss, SPACE, 45, seed=1, config=CONFIG)
    return [
        TrialRow(
            t.number, t.status, t.value, t.configuration, t.explanation, error=result.errors.get(t.number), tail="<b>boom</b>"
        )
        for t in result.trials
    ]


@pytest.fixture(scope="module")
def model(rows):
    return learnt(rows, SPACE, CONFIG, 1, "minimize")


@pytest.fixture(scope="module")
def text(rows, model):
    return page(Facts("a <study>", "minimize", 45, "today", {"seed": 1}, {"casmopolitan": "0.1"}), rows, SPACE, model)


def test_the_page_holds_every_part(text):
    for title in (
        "Convergence",
        "Trust region",
        "Relevance of the variables",
        "Around the best point",
        "The best trials side by side",
        "Best configurations",
        "Failures",
        "Settings",
        "Versions",
    ):
        assert f"<h2>{title}</h2>" in text, title
    assert "new region from trial" in text
    assert 'class="initial"' in text
    assert 'class="failed"' in text


def test_the_page_is_whole_and_reaches_for_nothing(text):
    assert not re.search(r"<script|https?://|<link[^>]+stylesheet|url\(", text)
    assert "&lt;study&gt;" in text
    assert "&lt;b&gt;boom" in text
    assert len(text) < 300_000

    class Balanced(HTMLParser):
        def __init__(self):
            super().__init__()
            self.stack = []

        def handle_starttag(self, tag, attrs):
            if tag not in ("meta", "link"):
                self.stack.append(tag)

        def handle_startendtag(self, tag, attrs):
            pass

        def handle_endtag(self, tag):
            assert self.stack.pop() == tag

    parser = Balanced()
    parser.feed(text)
    assert parser.stack == []


def test_the_model_finds_what_matters_and_predicts_around_the_best_point(model):
    assert model.relevances["lr"] > model.relevances["seeded"]
    assert "fixed" not in model.relevances
    along = next(one for one in model.slices if one.name == "layers")
    assert (along.values, along.at) == ([2, 4, 8], 4)
    assert along.mean.index(min(along.mean)) == 1


def test_an_empty_study_and_one_of_failures_make_a_page(rows):
    facts = Facts("n", "maximize", 9, "today")
    assert "No trial has been completed yet" in page(facts, [], SPACE, None)
    failed = [replace(row, state="failed", value=None) for row in rows[:3]]
    assert learnt(failed, SPACE, CONFIG, 0, "maximize") is None
    assert "3 of 3 trials failed" in page(facts, failed, SPACE, None)


def test_equal_and_enormous_values_are_drawn(rows):
    for values in ([1.0] * 9, [1e300, -1e300, 5.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0]):
        some = [replace(row, state="complete", value=value) for row, value in zip(rows, values, strict=False)]
        drawn = page(Facts("n", "minimize", 9, "today"), some, SPACE, None)
        assert "nan" not in drawn.partition("<main>")[2]


def test_a_slice_goes_through_the_best_value():
    assert 3 in slice_of(cas.Integer(1, 1000), 3)
    assert 0.123 in slice_of(cas.Real(0, 1), 0.123)
    many = cas.Categorical([f"c{k}" for k in range(100)])
    assert "c77" in slice_of(many, "c77")
    assert len(slice_of(many, "c77")) == 24


def test_ticks_are_round_and_inside():
    assert ticks(0, 10) == [0, 2, 4, 6, 8, 10]
    assert all(0.13 <= tick <= 0.87 for tick in ticks(0.13, 0.87))
    assert log_ticks(1e-5, 1e-1) == [1e-5, 1e-4, 1e-3, 1e-2, 1e-1]
    assert Scale(1, 100, 0, 10, log=True)(10) == 5


PROBE = """<pre id="probe"></pre><script>
const boxes = [...document.querySelectorAll("svg")].map(s => {
  const frame = s.getBoundingClientRect(), inner = s.getBBox();
  return {width: frame.width, height: frame.height, marks: s.children.length, drawn: inner.width > 0 && inner.height > 0};
});
const cards = [...document.querySelectorAll("section, header")].map(c => c.getBoundingClientRect().right);
document.getElementById("probe").textContent = JSON.stringify(
  {boxes, wide: Math.max(...cards), inner: document.documentElement.clientWidth, scroll: document.documentElement.scrollWidth});
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
    assert opened(plain, width)[1] == []
    probed.write_text(
        re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text).replace("</body>", PROBE + "</body>")
    )
    document, logged = opened(probed, width)
    assert logged == []
    found = json.loads(re.search(r'<pre id="probe">(.*?)</pre>', document)[1].replace("&quot;", '"'))
    assert len(found["boxes"]) == text.count("<svg")
    assert len(found["boxes"]) >= 11
    assert all(box["drawn"] and box["marks"] > 3 and box["width"] > 200 and box["height"] > 90 for box in found["boxes"])
    assert found["wide"] <= found["inner"]
    assert found["scroll"] <= found["inner"]


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (123456.0011, 123456.0042),
        (-49995.0, -49980.0),
        (1003.2, 1003.9),
        (12030.0, 12480.0),
        (9.78e301, 9.93e301),
        (1.1e-300, 9e-300),
        (-3e-5, 4e-5),
        (0.0, 10.0),
        (1e12, 1e12 + 7),
    ],
)
def test_ticks_are_told_apart_and_fit_beside_the_axis(low, high):
    found = ticks(low, high, 4)
    said = labels(found)
    assert len(found) >= 2
    assert len(set(said)) == len(said)
    assert [float(text) for text in said] == pytest.approx(found, rel=1e-12, abs=1e-9 * (high - low))
    assert room(low, high) > 6 * max(map(len, said))
    assert labels([0.0, 5.0, 10.0]) == ["0", "5", "10"]
    assert labels([0.0, 2.5, 5.0]) == ["0.0", "2.5", "5.0"]


def test_a_real_variable_in_many_steps_has_its_best_value_in_its_slice():
    variable = cas.Real(0.0, 1.0, step=0.01)
    for k in range(101):
        assert variable.at(k) in slice_of(variable, variable.at(k))


def test_a_wild_prediction_does_not_flatten_the_picture():
    drawn = prediction("n", cas.Integer(1, 3), 1, [1, 2, 3], [1.0, 5.0, 1e87], [0.1, 0.1, 1e88], seen=(0.0, 10.0))
    assert "e+8" not in drawn


@pytest.mark.parametrize(
    "values", [(0.3, 0.1 + 0.2), (1.0, 1 + 2**-52), (1e16, 1e16 + 4), (-1e308, 1e308), (5e-324, 1e-323), (0.0, 0.0)]
)
def test_values_that_hardly_differ_or_hardly_fit_a_float_are_drawn(values):
    space = cas.Space({"a": cas.Integer(1, 100), "x": cas.Real(0.1, 0.10000000000000002)})
    rows = [TrialRow(k, "complete", values[k % 2], {"a": k + 1, "x": 0.1}, {"source": "initial"}) for k in range(6)]
    facts = Facts("close", "minimize", 6, "today")
    assert "<svg" in page(facts, rows, space, learnt(rows, space, cas.DEFAULT, 0, "minimize"))


def test_slices_show_nothing_that_the_space_forbids():
    space = cas.Space(
        {"kind": cas.Categorical(["a", "b", "c"]), "side": cas.Categorical(["l", "m", "r"]), "n": cas.Integer(2, 4)},
        cas.Forbid({"kind": "a", "side": ["m", "r"]}),
    )
    result = cas.minimize(lambda c: (c["kind"] != "a") + 0.1 * c["n"], space, 12, seed=0)
    rows = [TrialRow(t.number, t.status, t.value, t.configuration, t.explanation) for t in result.trials]
    model = learnt(rows, space, cas.DEFAULT, 0, "minimize")
    assert result.best_configuration["kind"] == "a"
    assert {one.name for one in model.slices} == {"kind", "n"}
    drawn = page(Facts("f", "minimize", 12, "today"), rows, space, model)
    assert ">2.5<" not in drawn, "an integer's axis has whole numbers"


def test_the_part_of_the_region_that_changed_is_marked_and_no_other():
    sizes = [(5, 0.8), (5, 1.2), (5, 1.2), (3, 0.8)]
    rows = [
        TrialRow(k, "complete", 1.0, {}, {"source": "acquisition", "region": 0, "radius": radius, "length": length})
        for k, (radius, length) in enumerate(sizes)
    ]
    radius, length = regions(rows).split("<svg")[1:]
    assert (radius.count('class="grew"'), radius.count('class="shrank"')) == (0, 1)
    assert (length.count('class="grew"'), length.count('class="shrank"')) == (1, 1)


@pytest.mark.parametrize(("low", "high"), [(0.61, 1.04), (0.6, 1.6), (2.1, 2.9), (0.01, 0.011)])
def test_a_short_log_axis_has_more_than_one_tick(low, high):
    found = log_ticks(low, high)
    assert len(found) >= 2
    assert all(low <= tick <= high for tick in found)


def test_the_table_of_the_best_has_each_configuration_once_and_the_mean_it_is_sorted_by():
    space = cas.Space({"a": cas.Categorical(["x", "y"])})
    best = [
        TrialRow(k, "complete", k / 4, {"a": a}, predicted=p) for k, a, p in ((0, "x", 0.125), (1, "x", 0.125), (2, "y", 0.375))
    ]
    drawn = page(Facts("noisy", "minimize", 3, "today"), best, space, None, best)
    table = drawn.partition("Best configurations")[2]
    cells = [re.findall(r"<t[dh]>([^<]*)<", line) for line in table.split("<tr>")[1:4]]
    assert cells == [
        ["trial", "value", "model&#x27;s mean", "evaluations", "a"],
        ["0", "0", "0.125", "2", "x"],
        ["2", "0.5", "0.375", "1", "y"],
    ]
    exact = page(Facts("exact", "minimize", 3, "today"), best[1:], space, None).partition("Best configurations")[2]
    assert "evaluations" not in exact.partition("</section>")[0]


@pytest.mark.parametrize("damage", [{"optimiser": "adam"}, {}, {"optimiser": "adagrad", "lr": 1e-3}])
def test_a_trial_that_is_not_of_the_space_is_listed_and_neither_drawn_nor_learnt_from(rows, damage):
    whole = {**rows[20].configuration, **damage} if len(damage) > 1 else damage
    foreign = TrialRow(len(rows), "complete", -5.0, whole)
    best_first = [foreign, *ranked(rows, "minimize")]
    model = learnt([*rows, foreign], SPACE, CONFIG, 1, "minimize", best_first)
    assert model.trials == sum(row.state == "complete" for row in rows)
    drawn = page(Facts("damaged", "minimize", 45, "today"), [*rows, foreign], SPACE, model, best_first)
    beside, _, listed = drawn.partition("The best trials side by side")[2].partition("Best configurations")
    assert f"trial {foreign.number}" not in beside
    assert "trial" in beside
    assert f"<td>{foreign.number}</td><td>-5</td>" in listed
