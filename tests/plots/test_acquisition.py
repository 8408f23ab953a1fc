"""The figure of posterior and acquisition function."""

from __future__ import annotations

from dataclasses import replace

import pytest

import casmopolitan as cas
from casmopolitan.plots import acquisition
from casmopolitan.plots.acquisition import RANKED, WEIGHED


def test_the_slice_shows_posterior_and_acquisition(tuned, saved):
    figure = acquisition(tuned, "learning rate")
    assert saved(figure) > 10000
    assert figure.axes[1].get_xscale() == "log"
    assert len(acquisition(tuned, "dropout").axes) == 2


def test_a_slice_needs_a_continuous_variable(tuned, graph):
    with pytest.raises(cas.DataError, match="'optimiser' is not a continuous variable of the space; those are 'learning rate'"):
        acquisition(tuned, "optimiser")
    with pytest.raises(cas.DataError, match="no continuous variable"):
        acquisition(graph)


def test_the_slice_says_that_it_is_weighed_once_a_trial_has_failed():
    space = cas.Space({"kind": cas.Categorical(["a", "b", "c"]), "x": cas.Real(0.0, 1.0)})
    opt = cas.Optimizer(space, seed=0, config=replace(cas.DEFAULT, n_initial=4))
    for number in range(7):
        trial = opt.ask()
        opt.tell(trial, cas.FAILED if number == 5 else trial.configuration["x"])
        if number >= 4:
            assert acquisition(opt).axes[1].get_ylabel() == ("log expected\nimprovement" if number < 5 else WEIGHED)


def test_the_slice_of_ranks_has_no_mean_to_show(saved):
    space = cas.Space({"x": cas.Real(0.0, 1.0), "kind": cas.Categorical(["a", "b"])})
    ranked = cas.minimize(lambda c: c["x"] + (c["kind"] == "a"), space, 23, seed=0, config=cas.AUTHORS_CODE)
    figure = acquisition(ranked)
    assert saved(figure) > 5000
    assert RANKED in [text.get_text() for text in figure.axes[0].get_legend().get_texts()]


def test_log_ei_is_cut_off_below_its_peak(tmp_path):
    space = cas.Space({"x": cas.Real(0.0, 1.0)})
    settled = cas.minimize(lambda c: 1e4 * (c["x"] - 0.4) ** 2, space, 25, seed=0)
    low, high = acquisition(settled).axes[1].get_ylim()
    assert high - low < 80


def test_the_acquisition_function_of_a_noisy_objective_is_called_augmented():
    space = cas.Space({"x": cas.Real(0, 1), "c": cas.Categorical(["a", "b"])})
    for noisy, name in ((False, "log expected\nimprovement"), (True, "log augmented EI")):
        opt = cas.Optimizer(space, seed=0, noisy=noisy)
        for k in range(6):
            opt.tell({"x": k / 6, "c": "ab"[k % 2]}, (k - 2) ** 2)
        assert acquisition(opt).axes[1].get_ylabel() == name
