"""App. C.3, Kriging believer: z^(1) as usual, then α again on the model conditioned on (z^(1), μ(z^(1))), and so on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import casmopolitan.core.algorithm as algorithm
from casmopolitan.config import Config
from casmopolitan.core.acquisition.expected_improvement import expected_improvement
from casmopolitan.core.algorithm import ask
from casmopolitan.core.domain import Domain
from casmopolitan.core.points import Axis
from casmopolitan.core.state import Asked, Given, opening, tell

DOMAIN = Domain(np.array([3, 3, 3]), (None,) * 3, (Axis(0.0, 1.0),))
CONFIG = Config(n_initial=6, fit_steps=20, fit_starts=1, search_steps=30)


def observed():
    state, rng = opening(DOMAIN, CONFIG), np.random.default_rng(0)
    points = DOMAIN.draw(8, rng)
    for number in range(8):
        state = tell(state, Given(number, points[number], float(rng.normal())), DOMAIN, CONFIG)
    return state


@pytest.fixture
def scores(monkeypatch):
    """Every acquisition function that a search was given."""
    seen = []
    search = algorithm.interleaved_search

    def watched(score, *rest):
        seen.append(score)
        return search(score, *rest)

    monkeypatch.setattr(algorithm, "interleaved_search", watched)
    return seen


def test_a_batch_of_one_is_a_plain_ask(scores):
    state = observed()
    ask(DOMAIN, CONFIG, 0, state, 8)
    assert len(scores[0].posterior.y) == 8


def test_the_second_point_believes_the_first_without_refitting(scores):
    state = observed()
    first = ask(DOMAIN, CONFIG, 0, state, 8)
    state = tell(state, Asked(8, replace(first, prediction=replace(first.prediction, theta=None))), DOMAIN, CONFIG)
    second = ask(DOMAIN, CONFIG, 0, state, 8)
    plain, believed = (score.posterior for score in scores)
    assert len(believed.y) == 9
    assert believed.y[8] == pytest.approx(plain.moments(first.point)[0][0])
    assert believed.theta.tolist() == plain.theta.tolist()
    assert second.point != first.point


@pytest.mark.parametrize("change", [{}, {"incumbent": "mean"}, {"noisy": True}], ids=str)
@pytest.mark.parametrize("belief", [-100.0, 100.0])
def test_what_is_believed_may_be_the_value_to_beat(scores, monkeypatch, change, belief):
    monkeypatch.setattr(
        algorithm, "kriging_believer", lambda posterior, pending: posterior.extended(pending, np.full(len(pending), belief))
    )
    config, state = replace(CONFIG, **change, noise_bounds=(1e-6, 1e-6)), observed()
    for number in range(8, 11):
        suggestion = ask(DOMAIN, config, 0, state, number)
        state = tell(state, Asked(number, suggestion), DOMAIN, config)
    by_ei = [score for score in scores if score.rule.func is expected_improvement]  # with -100 to beat it is 0: then its log
    for pending, score in enumerate(by_ei):
        assert len(score.posterior.y) == 8 + pending
        best = score.posterior.y.min()  # of D with the hallucinated pairs in it
        assert score.rule.keywords["best"] == pytest.approx(best, rel=1e-2, abs=1e-2)


def test_b_proposals_are_distinct_and_belief_spreads_them():
    state, batch = observed(), []
    for number in range(8, 16):
        suggestion = ask(DOMAIN, CONFIG, 0, state, number)
        batch.append(suggestion)
        state = tell(state, Asked(number, suggestion), DOMAIN, CONFIG)
    assert len({s.point.identities()[0] for s in batch}) == 8
    assert len({tuple(s.point.h[0]) for s in batch}) > 1
