"""The live view: everything that matters, also in a narrow terminal."""

from __future__ import annotations

import io

from rich.console import Console

from casmopolitan.analysis.row import TrialRow
from casmopolitan.cli.live import View, progress_line, sparkline
from casmopolitan.goals import Goals
from casmopolitan.space import Categorical, Space

LONG = {f"variable {k}": f"value {k}" for k in range(30)}
SPACE = Space({name: Categorical([value]) for name, value in LONG.items()})


def rows():
    return [
        TrialRow(0, "complete", 5.0, LONG, {"source": "initial", "region": 0}),
        TrialRow(1, "failed", None, LONG, {"source": "initial", "region": 0}, error="ended with exit code 3"),
        TrialRow(2, "complete", 2.0, LONG, {"source": "acquisition", "region": 1, "radius": 4, "length": 0.25}),
        TrialRow(3, "running", None, LONG, {"source": "acquisition", "region": 1, "radius": 4, "length": 0.25}, began=0.0),
        TrialRow(4, "complete", 9.0, LONG, known=True),
    ]


def shown(columns, these=None, **options):
    console = Console(file=io.StringIO(), width=columns, force_terminal=False)
    view = View("name", Goals.of("minimize"), SPACE, 10, rows() if these is None else these, 30.0, 3)
    console.print(view.panel(**options))
    return console.file.getvalue()


def test_the_panel_says_it_all_in_any_width():
    for width in (60, 90, 200):
        text = shown(width)
        for word in (
            "trials",
            "3/10",
            "30 s elapsed, 1:10 left",
            "best",
            "2  at trial 2",
            "last     trial 2: 2  trial 1: failed  trial 0: 5",
            "radius 4, side 0.25, 1 restart",
            "running",
            "trial 3",
            "failed",
        ):
            assert word in text, (width, word)
        assert all(len(line) <= width for line in text.splitlines())


def test_a_configuration_is_shown_only_when_it_is_complete():
    begun = TrialRow(7, "running", None, dict(list(LONG.items())[:1]))
    assert "choosing its values" in shown(90, [begun])
    assert "variable 0" not in shown(90, [begun])
    assert "variable 0=value 0" in shown(90, [rows()[3]])


def test_the_panel_leaves_room_for_what_a_terminal_shows_when_keys_are_pressed():
    """After a panel as wide as the terminal, ^C would begin a new line, and the panel's first line would stay on the screen."""
    assert {len(line) for line in shown(90, width=86).splitlines()} == {86}


def test_a_plain_line_says_what_ended_and_what_is_best():
    done = TrialRow(5, "complete", 1.5, {}, seconds=2.0)
    line = progress_line(done, [row for row in rows() if row.state != "running"] + [done], Goals.of("minimize"), 10)
    assert line == "[4/10] trial 5: 1.5  best 1.5 (trial 5)  2.0 s"
    failed = TrialRow(5, "failed", None, {}, seconds=2.0, error="it broke")
    assert progress_line(failed, [failed], Goals.of("minimize"), 10) == "[1/10] trial 5: failed: it broke  no value yet  2.0 s"


def test_a_sparkline_spans_the_values_and_is_cut_to_its_width():
    assert sparkline([0, 1, 2, 3, 4, 5, 6, 7]) == "▁▂▃▄▅▆▇█"
    assert sparkline([5.0]) == "▁"
    assert sparkline([]) == ""
    assert len(sparkline(range(1000))) == 48


def test_a_sparkprogress_line_enormous_values_is_drawn():
    assert sparkline([-1.7e308, 0.0, 1.7e308]) == "▁▅█"
    assert sparkline([0.0, 0.0]) == "▁▁"


TWO = Goals.of(objectives={"error": "minimize", "speed": "maximize"}, limits={"memory": "<= 10"})


def goal_rows():
    told = [(1.0, 1.0, 5.0), (2.0, 2.0, 5.0), (0.5, 9.0, 20.0)]
    outcomes = [dict(zip(TWO.order, row, strict=True)) for row in told]
    return [TrialRow(k, "complete", None, {"a": k}, outcomes=o, feasible=TWO.is_feasible(o)) for k, o in enumerate(outcomes)]


def test_the_panel_of_several_objectives_shows_the_front_and_the_limits():
    out = io.StringIO()
    Console(file=out, width=100).print(View("name", TWO, SPACE, 10, goal_rows(), 30.0, 3).panel())
    assert "front    2 trials  hypervolume" in out.getvalue()
    assert "limits   met by 2 of 3 trials" in out.getvalue()


def test_a_plain_line_of_several_objectives_names_each():
    rows = goal_rows()
    assert progress_line(rows[1], rows[:2], TWO, 10).startswith("[2/10] trial 1: error 2, speed 2, memory 5  2 on the front")
    assert "memory 20, limits not met  no trial meets all limits yet" in progress_line(rows[2], rows[2:], TWO, 10)
