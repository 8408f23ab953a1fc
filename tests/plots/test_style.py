"""What all figures share: sources, and what is missing."""

from __future__ import annotations

import subprocess
import sys

import pytest

import casmopolitan as cas
from casmopolitan.errors import MissingExtraError
from casmopolitan.plots import acquisition, convergence, relevance, relevances, trust_region
from casmopolitan.plots.style import new_figure
from docs import figures


@pytest.mark.parametrize("draw", [convergence, trust_region])
def test_a_picture_is_drawn_from_a_result_an_optimizer_or_a_list(draw, tuned, saved):
    result = cas.minimize(lambda c: 1.0, tuned.space, 1, optimizer=figures.tuned(8))
    for source in (tuned, tuned.trials, result):
        assert saved(draw(source)) > 5000


def test_pictures_of_nothing_say_what_is_missing():
    fresh = cas.Optimizer(cas.Space({"x": cas.Real(0, 1)}), seed=0)
    with pytest.raises(cas.DataError, match="no trial has been completed"):
        convergence(fresh)
    with pytest.raises(cas.DataError, match="beyond the initial points"):
        trust_region(fresh)
    with pytest.raises(cas.DataError, match="no relevance can be computed"):
        relevance(fresh)
    with pytest.raises(cas.DataError, match="no observation yet"):
        acquisition(fresh)
    with pytest.raises(cas.DataError, match="give a Result, an Optimizer or a study of Optuna"):
        relevances([])
    with pytest.raises(cas.DataError, match="drawn from a Result"):
        convergence(["trial"])


def test_without_matplotlib_the_extra_is_named(monkeypatch, tuned):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'casmopolitan\[plots\]'"):
        convergence(tuned)


def test_importing_the_pictures_loads_no_matplotlib():
    code = "import sys, casmopolitan.plots; print('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_a_notebook_shows_a_figure_without_pyplot():
    figure, _ = new_figure(2.0, 1.0)
    assert figure._repr_png_().startswith(b"\x89PNG")
