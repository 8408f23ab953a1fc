"""The figure of values and the best so far."""

from __future__ import annotations

import pytest

import casmopolitan as cas
from casmopolitan.analysis.convergence import running_best
from casmopolitan.plots import convergence


def test_convergence_shows_the_running_best(tuned):
    line = convergence(tuned).axes[0].lines[0]
    assert list(line.get_ydata()) == running_best(tuned.trials, "minimize")


def test_convergence_of_a_maximisation_climbs():
    trials = [cas.Trial(k, {}, {"source": "initial"}, "complete", float(v)) for k, v in enumerate([1, 3, 2])]
    assert list(convergence(trials, direction="maximize").axes[0].lines[0].get_ydata()) == [1.0, 3.0, 3.0]


@pytest.mark.parametrize(("direction", "sign"), [("minimize", 1.0), ("maximize", -1.0)])
def test_one_wild_value_does_not_flatten_convergence(direction, sign):
    values = [1e6, 9.0, 8.0, 7.0, 5.0, 6.0, 4.0, 3.0]
    trials = [cas.Trial(k, {"a": 1}, {"source": "initial"}, "complete", sign * value) for k, value in enumerate(values)]
    axes = convergence(trials, direction=direction).axes[0]
    low, high = sorted(sign * bound for bound in axes.get_ylim())
    assert low < 3.0 < 9.0 < high < 12.0
    assert "far worse" in [text.get_text() for text in axes.get_legend().get_texts()]
    ordinary = convergence(trials[1:], direction=direction).axes[0]
    assert "far worse" not in [text.get_text() for text in ordinary.get_legend().get_texts()]


def test_convergence_marks_failures():
    trials = [cas.Trial(0, {}, {}, "complete", 1.0), cas.Trial(1, {}, {}, "failed")]
    labels = [text.get_text() for text in convergence(trials).axes[0].get_legend().get_texts()]
    assert "failed" in labels
