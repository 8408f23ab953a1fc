"""Trials below each other: everything is there in any width, and nothing is cut."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from casmopolitan.analysis.row import TrialRow
from casmopolitan.cli.table import one_line_of, print_experiments, print_trials
from casmopolitan.space import Categorical, Space


def shown(rows, width, *, terminal=True):
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=terminal, color_system=None, highlight=False, markup=False)
    print_trials(console, rows, list(rows[0].configuration) if rows else ["a"])
    return out.getvalue()


def switches(count, differing):
    """Five trials of that many switches, of which some differ."""
    return [
        TrialRow(k, "complete", k / 3, {f"switch{n}": f"level {k if n < differing else 0}" for n in range(count)})
        for k in range(5)
    ]


@pytest.mark.parametrize("width", [60, 80, 200])
@pytest.mark.parametrize(("count", "differing"), [(3, 3), (12, 12), (12, 2), (40, 40), (40, 20), (40, 3), (200, 200)])
def test_every_word_is_there_in_any_width(count, differing, width):
    rows = switches(count, differing)
    text = shown(rows, width)
    assert "…" not in text
    assert all(len(line) <= width for line in text.splitlines())
    words = text.replace(",", " ").split()
    for n in range(count):
        assert any(word == f"switch{n}" or word.startswith(f"switch{n}=") for word in words), n
    once = text.partition("in common")[2]
    assert text.count("level") == sum(1 if f"switch{n}=" in once else 5 for n in range(count))
    assert [row.number for row in rows] == [int(line.split()[0]) for line in text.splitlines() if line[:5].strip().isdigit()]


def test_variables_that_fit_have_a_column_each():
    assert shown(switches(2, 1), 60).splitlines()[:2] == [
        "trial  state        value  switch0  switch1",
        "    0  complete         0  level 0  level 0",
    ]


def test_what_most_variables_have_in_common_is_said_once_below():
    lines = shown(switches(40, 2), 80).splitlines()
    assert lines[0].split() == ["trial", "state", "value", "switch0", "switch1"]
    assert lines[6].startswith("in common: switch2=level 0, switch3=level 0,")


@pytest.mark.parametrize("width", [50, 80])
def test_a_configuration_that_does_not_fit_stands_wrapped_beside_its_value(width):
    lines = shown(switches(40, 40), width).splitlines()
    assert lines[0].split() == ["trial", "state", "value", "configuration"]
    assert lines[2].index("switch") == lines[0].index("configuration")


def test_without_a_terminal_every_variable_has_a_column():
    lines = shown(switches(200, 3), 80, terminal=False).splitlines()
    assert len(lines) == 6
    assert lines[0].split()[3:] == [f"switch{n}" for n in range(200)]
    assert "in common" not in lines[-1]


def test_rows_in_the_order_of_the_models_mean_show_it():
    rows = [TrialRow(k, "complete", value, {"a": "x"}, predicted=mean) for k, value, mean in ((0, 1.5, 0.25), (1, 1.25, 0.5))]
    lines = shown(rows, 100).splitlines()
    assert lines[0].split() == ["trial", "state", "value", "model's", "mean", "a"]
    assert "0.25" in lines[1]


def test_rows_that_stand_for_several_say_for_how_many():
    rows = [TrialRow(k, "complete", 1.0, {"a": k}, evaluations=n) for k, n in ((0, 12), (1, 1))]
    lines = [line.split() for line in shown(rows, 100).splitlines()]
    assert [line[3] for line in lines] == ["evaluations", "12", "1"]


def test_a_word_that_would_break_its_line_is_quoted_and_one_that_is_too_long_goes_on_in_the_next():
    rows = [TrialRow(k, "complete", None, {"a": f"{k}\n\x1b[2J", "b": "x" * 150}) for k in range(2)]
    text = shown(rows, 60)
    assert r"'0\n\x1b[2J'" in text
    assert "".join(text.split()).count("x" * 150) == 1
    assert all(len(line) <= 60 for line in text.splitlines())


def test_rows_that_lack_a_variable_and_no_rows_at_all_are_listed():
    assert shown([], 80).split() == ["trial", "state", "value", "a"]
    assert shown([TrialRow(0, "complete", 1.0, {"a": 1}), TrialRow(1, "running", None, {})], 80).splitlines()[2].split() == [
        "1",
        "running",
    ]


def test_numbers_have_the_digits_that_tell_them_apart():
    rows = [TrialRow(k, "complete", 1.0, {"a": a, "b": b}) for k, (a, b) in enumerate([(0.123456, 0.25), (0.123457, 0.5)])]
    rows = [*rows, TrialRow(2, "complete", 1.0, {"a": 1 / 3, "b": 0.25})]
    assert [line.split()[3:] for line in shown(rows, 80).splitlines()[1:]] == [
        ["0.123456", "0.25"],
        ["0.123457", "0.5"],
        ["0.333333", "0.25"],
    ]


@pytest.mark.parametrize(
    ("text", "line"), [("boiled\nover", "boiled over"), ("red \x1b[31m", r"'red \x1b[31m'"), ("gelb – ölig", "gelb – ölig")]
)
def test_a_comment_is_one_line_that_cannot_command_the_terminal(text, line):
    assert one_line_of(text) == line


@pytest.mark.parametrize("width", [100, 26])
def test_experiments_are_shown_with_what_the_model_predicts_for_them(width):
    why = {"mean": 71.234567, "deviation": 3.456, "success": 0.934}
    rows = [TrialRow(4, "asked", None, {"a": "x"}, why), TrialRow(5, "asked", None, {"a": "y"}, {"mean": None})]
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=True, color_system=None, highlight=False, markup=False)
    print_experiments(console, rows, Space({"a": Categorical(["x", "y"])}))
    assert "71.23 ± 3.5" in out.getvalue()
    assert "93%" in out.getvalue()
    assert ("trial  a  predicted    success" in out.getvalue()) == (width == 100)


def test_several_objectives_are_predicted_one_by_one_and_nothing_is_shown_without_a_model():
    why = {"means": {"error": 0.25, "cost": 12.0}, "deviations": {"error": 0.1, "cost": 3.0}, "feasible": 0.5}
    out = io.StringIO()
    console = Console(file=out, width=100, color_system=None)
    space = Space({"a": Categorical(["x", "y"])})
    print_experiments(console, [TrialRow(4, "asked", None, {"a": "x"}, why)], space)
    assert out.getvalue().split("\n")[0].split("  ") == ["trial", "a", "predicted error", "predicted cost", "limits met"]
    print_experiments(console, [TrialRow(4, "asked", None, {"a": "x"})], space)
    assert out.getvalue().split("\n")[2].split() == ["trial", "a"]
