"""Scales, ticks and escaped marks."""

from __future__ import annotations

import pytest

from casmopolitan.report.svg import Canvas, Scale, label_width, log_ticks, tick_labels, ticks


def test_ticks_are_round_and_inside():
    assert ticks(0, 10) == [0, 2, 4, 6, 8, 10]
    assert all(0.13 <= tick <= 0.87 for tick in ticks(0.13, 0.87))
    assert log_ticks(1e-5, 1e-1) == [1e-5, 1e-4, 1e-3, 1e-2, 1e-1]
    assert Scale(1, 100, 0, 10, log=True)(10) == 5


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
    said = tick_labels(found)
    assert len(found) >= 2
    assert len(set(said)) == len(said)
    assert [float(text) for text in said] == pytest.approx(found, rel=1e-12, abs=1e-9 * (high - low))
    assert label_width(low, high) > 6 * max(map(len, said))
    assert tick_labels([0.0, 5.0, 10.0]) == ["0", "5", "10"]
    assert tick_labels([0.0, 2.5, 5.0]) == ["0.0", "2.5", "5.0"]


@pytest.mark.parametrize(("low", "high"), [(0.61, 1.04), (0.6, 1.6), (2.1, 2.9), (0.01, 0.011)])
def test_a_short_log_axis_has_more_than_one_tick(low, high):
    found = log_ticks(low, high)
    assert len(found) >= 2
    assert all(low <= tick <= high for tick in found)


def test_every_value_of_a_mark_is_escaped():
    canvas = Canvas(100, 50, '"><script>')
    canvas.text(1, 2, "<b>")
    canvas.dot(1, 2, 'x" onload="', "<i>")
    canvas.path([(0, 0), (1, 1)], "line", tip="<u>", strength=0.5)
    assert canvas.svg.count("<") == 2 * 6
    for hostile in ("<script", "<b>", "<i>", "<u>", 'x" '):
        assert hostile not in canvas.svg
