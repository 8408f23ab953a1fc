"""Algorithm 1, one test a line. The paper maximises; the core minimises."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import casmopolitan.core.algorithm as algorithm
import casmopolitan.core.gp.model as models
from casmopolitan import Optimizer, Space
from casmopolitan.config import Config
from casmopolitan.core.algorithm import ask
from casmopolitan.core.domain import Domain
from casmopolitan.core.points import Axis
from casmopolitan.core.region.hamming import distance
from casmopolitan.core.region.trust_region import TrustRegion, initial
from casmopolitan.core.state import Asked, Told, opening, tell
from casmopolitan.space import Categorical, Real

DOMAIN = Domain(np.array([3, 3, 3, 3, 3]), (None,) * 5, (Axis(0.0, 1.0),))
CONFIG = Config(n_initial=6, fit_steps=5, fit_starts=1, search_steps=10, failure_tolerance=2)


def objective(point):
    return float(point.h.sum() + (point.x - 0.4).sum() ** 2)


def run(n, config=CONFIG, seed=0):
    """The loop of line 4: suggestions, and the state before each of them and after the last."""
    states, suggestions = [opening(DOMAIN, config)], []
    for t in range(n):
        s = ask(DOMAIN, config, seed, states[-1], t)
        suggestions.append(s)
        state = tell(states[-1], Asked(t, s), DOMAIN, config)
        states.append(tell(state, Told(t, objective(s.point)), DOMAIN, config))
    return suggestions, states


def test_line_1_the_inputs_are_init_and_the_initial_lengths():
    config = Config(n_initial=7, initial_radius=2, initial_length=0.5)
    assert initial(DOMAIN, config) == TrustRegion(2, 0.5)
    suggestions, _ = run(9, replace(CONFIG, n_initial=7))
    assert [s.provenance.source for s in suggestions] == ["initial"] * 7 + ["acquisition"] * 2


def test_line_2_the_output_is_the_best_observed_point():
    opt = Optimizer(Space({"a": Categorical(list("xyz")), "r": Real(0, 1)}), seed=0, config=CONFIG)
    values = [3.0, 1.0, 2.0]
    for trial, value in zip(opt.ask(3), values, strict=True):
        opt.tell(trial, value)
    assert opt.best_value == 1.0
    assert opt.best_configuration == opt.trials[1].configuration


def test_line_3_the_first_points_are_a_restart():
    suggestions, _ = run(1)
    assert (suggestions[0].provenance.source, suggestions[0].provenance.region) == ("initial", 0)


def test_line_4_every_iteration_is_one_evaluation():
    suggestions, states = run(15)
    assert [len(state.observations) for state in states] == list(range(16))
    assert len(suggestions) == 15


def test_line_5_a_restart_happens_when_and_only_when_the_region_has_ended():
    suggestions, states = run(60)
    restarts = [t for t, s in enumerate(suggestions) if s.provenance.source == "restart"]
    assert restarts
    for t, state in enumerate(states[:-1]):
        ended = state.current > 0 and state.regions[-1].centre is None
        assert (t in restarts) == ended


def test_line_6_at_initialisation_init_random_points_of_the_whole_space():
    suggestions, _ = run(6)
    assert all(s.provenance.centre is None and s.prediction.acquisition is None for s in suggestions)
    assert len({s.point.identities()[0] for s in suggestions}) == 6


def test_line_6_at_a_restart_lengths_and_model_are_reset_and_init_points_drawn_around_the_centre(monkeypatch):
    seen = []
    fit_model = models.fit_model
    monkeypatch.setattr(models, "fit_model", lambda *a: seen.append((len(a[3]), a[5])) or fit_model(*a))
    suggestions, states = run(60)
    t = next(t for t, s in enumerate(suggestions) if s.provenance.source == "restart")
    assert states[t].lengths == initial(DOMAIN, CONFIG)
    design = suggestions[t + 1 : t + 7]
    assert [s.provenance.source for s in design] == ["initial"] * 6
    for s in design:
        assert s.provenance.centre == suggestions[t].point
        assert distance(s.point.h, s.provenance.centre.h[0])[0] <= s.provenance.radius == 4
        assert abs(s.point.x - s.provenance.centre.x).max() <= s.provenance.length / 2 + 1e-12
    assert suggestions[t + 7].provenance.source == "acquisition"
    fits = [s for s in suggestions[: t + 7] if s.provenance.source == "acquisition"]
    assert seen[len(fits)] == (7, None)  # the centre and its six points, and no earlier hyper-parameters


def test_line_7_otherwise_the_acquisition_chooses():
    suggestions, _ = run(8)
    assert [s.provenance.source for s in suggestions[6:]] == ["acquisition"] * 2


@pytest.mark.parametrize("t", [6, 9, 12])
def test_line_8_the_hamming_region_lies_around_the_best_point(t):
    suggestions, states = run(t + 1)
    s, region = suggestions[t], states[t].regions[states[t].current]
    if s.provenance.source == "acquisition":
        assert s.provenance.centre == region.best.point
        assert s.provenance.radius == states[t].lengths.radius
        assert distance(s.point.h, s.provenance.centre.h[0])[0] <= s.provenance.radius


def test_line_9_the_box_lies_around_the_best_point_with_its_length():
    suggestions, states = run(60)
    for s, state in zip(suggestions, states, strict=False):
        if s.provenance.source == "acquisition":
            assert s.provenance.length == state.lengths.length
            away = abs(s.point.x - s.provenance.centre.x)
            assert (away <= s.provenance.length / 2 + 1e-9).all()  # one coordinate: its weight is one


def test_line_10_the_next_point_beats_random_points_of_the_region():
    config = replace(CONFIG, search_steps=100, fit_steps=30)
    suggestions, states = run(7, config)
    s = suggestions[6]
    kept = []
    search = algorithm.interleaved_search

    def watched(score, start, around, *rest):
        kept.append((score, around))
        return search(score, start, around, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(algorithm, "interleaved_search", watched)
        again = ask(DOMAIN, config, 0, states[6], 6)
    assert again.point == s.point
    score, around = kept[0]
    assert s.prediction.acquisition == pytest.approx(score(s.point)[0])
    drawn = score(around.draw(500, np.random.default_rng(0)))
    assert s.prediction.acquisition >= np.quantile(drawn, 0.98)


def test_line_12_the_observation_joins_the_data_and_the_hyper_parameters_are_fitted_again():
    suggestions, states = run(12)
    last = states[-1].observations[-1]
    assert (last.number, last.point, last.value) == (11, suggestions[-1].point, objective(suggestions[-1].point))
    thetas = [s.prediction.theta for s in suggestions if s.provenance.source == "acquisition"]
    assert all(theta is not None for theta in thetas)
    assert len(set(thetas)) > 1


def test_line_13_lengths_follow_successes_and_failures_and_end_in_a_restart():
    _, states = run(80)
    for before, after in pairwise(states):
        new = after.observations[-1]
        best = before.regions[new.region].best
        if new.source != "acquisition":
            assert after.lengths == before.lengths or after.current > before.current
            continue
        improved = best is None or new.value < best.value
        if after.current > before.current:
            assert not improved
            assert after.lengths == initial(DOMAIN, CONFIG)
        elif improved:
            assert after.lengths.failures == 0
            assert after.lengths.radius >= before.lengths.radius
        else:
            assert after.lengths.successes == 0
            assert after.lengths.radius <= before.lengths.radius
    assert states[-1].current >= 1


def test_line_14_the_best_never_gets_worse():
    _, states = run(30)
    best = [min((o.value for o in state.observations), default=np.inf) for state in states]
    assert all(b <= a for a, b in pairwise(best))
