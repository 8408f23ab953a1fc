from __future__ import annotations

from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

import casmopolitan.core.algorithm as algorithm
from casmopolitan.core.acquisition.acquisition import Score
from casmopolitan.core.acquisition.expected_improvement import log_expected_improvement
from casmopolitan.core.ask import Ask
from casmopolitan.core.domain import Domain
from casmopolitan.core.extensions import global_trials
from casmopolitan.core.extensions.global_trials import GlobalTrials
from casmopolitan.core.gp.model import ALIKE_NOTE
from casmopolitan.core.past import Past
from casmopolitan.core.points import Axis, Points
from casmopolitan.core.region.trust_region import TrustRegion
from casmopolitan.core.state import Asked, Given, Provenance, Suggestion, Told, opening, tell
from casmopolitan.presets import DEFAULT, PAPER
from runs import MIXED, QUICK, SMALL, ask, heard, objective, relabelled, run


def test_a_search_of_the_whole_space_that_finds_nothing_claims_no_region(monkeypatch):
    config = replace(QUICK, global_every=6)
    state, _ = run(MIXED, config, 0, 6)
    monkeypatch.setattr(algorithm, "interleaved_search", lambda *_: None)
    s = ask(MIXED, config, 0, state, 6)
    assert (s.provenance.source, s.provenance.radius, s.provenance.length) == ("fallback", None, None)
    assert s.provenance.note == "no candidate of the search may be suggested: random in the whole space"


def test_every_so_often_the_whole_space_is_searched_and_the_region_does_not_count_it():
    config = replace(QUICK, global_every=3, failure_tolerance=1000)
    state, suggestions = run(MIXED, config, 5, 16, value=lambda point: 0.0)
    acquired = [(number, s) for number, s in enumerate(suggestions) if s.provenance.source in ("acquisition", "global")]
    assert [number for number, s in acquired if s.provenance.source == "global"] == [6, 9, 12, 15]
    assert all(
        s.provenance.radius is None and s.provenance.length is None for _, s in acquired if s.provenance.source == "global"
    )
    assert state.lengths.failures == sum(s.provenance.source == "acquisition" for _, s in acquired)


@pytest.mark.parametrize(("domain", "step"), [(Domain(np.full(9, 3), (None,) * 9, ()), 2), (MIXED, 4)])
def test_a_radius_that_has_shrunk_leaves_the_whole_space_twice_as_many_trials_where_there_is_no_x(domain, step):
    config = replace(QUICK, global_every=4, failure_tolerance=2, success_tolerance=1000)
    _, suggestions = run(domain, config, 5, 20, value=lambda point: 0.0)
    radii = [s.provenance.radius for s in suggestions if s.provenance.region == 0]
    first = next(radius for radius in radii if radius is not None)
    shrunk = next(number for number, radius in enumerate(radii) if radius is not None and radius < first)
    everywhere = [number for number, s in enumerate(suggestions[: len(radii)]) if s.provenance.source == "global"]
    before, after = range(config.n_initial, shrunk), range(shrunk + 1, len(radii))
    assert everywhere == [n for n in before if n % 4 == 0] + [n for n in after if n % step == 0]


def least_tried(domain, config, state, number=99):
    return global_trials.least_tried(domain, state, Ask(domain, config, 0, state, number).pending)


@pytest.mark.parametrize("search", ["steepest", "interleaved"])
def test_the_whole_space_is_searched_at_the_level_least_tried(search):
    config = replace(QUICK, global_every=2, search=search, failure_tolerance=1000)
    state, _ = run(MIXED, config, 5, 6)
    for number in range(6, 16):
        variable, level = least_tried(MIXED, config, state, number)
        suggestion = ask(MIXED, config, 5, state, number)
        assert suggestion.provenance.source == ("global" if number % 2 == 0 else "acquisition")
        if suggestion.provenance.source == "global":
            assert suggestion.point.h[0, variable] == level
        state = tell(state, Asked(number, suggestion), MIXED, config)
        state = tell(state, Told(number, objective(suggestion.point)), MIXED, config)


def test_the_level_least_tried_counts_parts_not_trials_and_pending_ones_too_and_no_ordinal():
    domain = Domain(np.array([2, 4, 5]), (None, None, np.linspace(0.0, 1.0, 5)), (Axis(0.0, 1.0),))
    levels = [[0, 0, 0], [0, 1, 1], [0, 2, 1], [0, 3, 1], [1, 0, 1], [1, 3, 1]]
    points = Points(np.array(levels), 0.1 * np.arange(6.0)[:, None])
    state = heard(domain, QUICK, points, [5.0, 3.0, 4.0, 9.0, 8.0, 7.0])
    # Of h1: 2 · 2/6 at level 1; of h2: 4 · 1/6 at levels 1 and 2, as much; 3.0 was seen at level 1 of h2.
    assert least_tried(domain, QUICK, state) == (1, 1)
    waiting = Suggestion(Points(np.array([[0, 1, 1]]), np.array([[0.9]])), Provenance(0, "acquisition"))
    assert least_tried(domain, QUICK, tell(state, Asked(6, waiting), domain, QUICK)) == (1, 2)


def test_the_level_least_tried_does_not_depend_on_the_names_of_levels():
    rng = np.random.default_rng(3)
    for _ in range(20):
        points, values = MIXED.draw(12, rng), rng.standard_normal(12)
        permutations = [rng.permutation(n) for n in MIXED.levels]
        variable, level = least_tried(MIXED, QUICK, heard(MIXED, QUICK, points, values))
        moved = least_tried(MIXED, QUICK, heard(MIXED, QUICK, relabelled(points, permutations), values))
        assert moved == (variable, permutations[variable][level])


def test_without_numbers_or_without_choices_no_level_is_neglected():
    for domain in (SMALL, Domain(np.empty(0, dtype=np.int64), (), (Axis(0.0, 1.0),))):
        state, _ = run(domain, QUICK, 5, 4)
        assert least_tried(domain, QUICK, state) is None


def test_where_the_level_least_tried_has_no_point_left_the_others_are_searched():
    def scarce(points):
        return (points.h[:, 0] < 2) | (points.x[:, 0] == 0)

    domain = Domain(np.array([3, 2]), (None, None), (Axis(1.0, 3.0, 1.0),), scarce)
    config = replace(QUICK, global_every=1, failure_tolerance=1000, search="steepest")
    _, suggestions = run(domain, config, 5, 14)
    assert len({key for s in suggestions for key in s.point.identities()}) == 14
    assert {(s.provenance.region, s.provenance.source) for s in suggestions[QUICK.n_initial :]} == {(0, "global")}


def test_a_better_point_from_anywhere_moves_the_centre():
    config = replace(QUICK, global_every=2)
    state, _ = run(MIXED, config, 5, 10)
    best = min(state.observations, key=lambda o: o.value)
    assert ask(MIXED, config, 5, state, 11).provenance.centre == best.point


def test_a_level_that_failed_is_not_a_level_that_was_neglected():
    state = opening(MIXED, DEFAULT)
    rng, number = np.random.default_rng(0), 0
    for level, ends in ((0, [1.0] * 6), (1, [2.0] * 6), (2, [3.0] + [None] * 12)):
        for end in ends:
            point = Points(np.array([[level, *rng.integers(0, [4, 2])]]), MIXED.draw(1, rng).x)
            state, number = tell(state, Given(number, point, end), MIXED, DEFAULT), number + 1
    assert least_tried(MIXED, DEFAULT, state, number) != (0, 2)


@pytest.mark.parametrize(("every", "due"), [(5, [0, 3, 6, 9]), (4, [0, 2, 4, 6, 8]), (1, list(range(10))), (0, [])])
def test_half_of_an_odd_number_of_trials_is_rounded_up(every, due):
    domain = Domain(np.full(9, 3), (None,) * 9, ())
    shrunk = SimpleNamespace(lengths=TrustRegion(1, None))
    config = replace(QUICK, global_every=every)
    assert [n for n in range(10) if global_trials.is_due(domain, config, shrunk, n)] == due


NINE, SIXTY = (Domain(np.full(d, 3), (None,) * d, ()) for d in (9, 60))


def global_trial(domain, config, number, outcomes=None):
    """The extension at one trial of an empty study; trials 0, 4, 8, ... are global."""
    state = opening(domain, config)
    return GlobalTrials(Ask(domain, config, 0, state if outcomes is None else replace(state, outcomes=outcomes), number))


@pytest.mark.parametrize(
    ("domain", "number", "explores"), [(NINE, 12, True), (NINE, 13, False), (SIXTY, 12, False), (MIXED, 12, False)]
)
def test_only_global_trials_of_discrete_spaces_with_fewer_than_sixty_variables_explore(domain, number, explores):
    rule = partial(log_expected_improvement, best=0.0)
    score = global_trial(domain, DEFAULT, number).weigh(Score(None, rule))
    mean, variance = np.array([0.3, -0.2]), np.array([0.5, 0.1])
    expected = rule(mean, 4.0 * variance if explores else variance)[0]
    np.testing.assert_array_equal(score.rule(mean, variance)[0], expected)


def test_no_trial_with_limits_or_several_objectives_explores():
    assert not global_trial(NINE, DEFAULT, 12, SimpleNamespace(plain=False)).explores


def test_the_trials_that_earlier_studies_suggest_instead_of_the_design_do_not_explore():
    points = NINE.sample(5, np.random.default_rng(0))
    state = replace(opening(NINE, DEFAULT), past=Past(points, np.arange(5.0), np.ones(5, dtype=np.int64)))
    for number, explores in ((0, False), (8, False), (12, True)):
        trial = GlobalTrials(Ask(NINE, DEFAULT, 0, state, number))
        assert trial.explores == explores
        assert (trial.settings(DEFAULT) == DEFAULT) == (not explores)


def test_the_derivatives_of_a_widened_rule_equal_its_slopes():
    mean, variance, step = np.array([0.3, -0.2, 1.0]), np.array([0.5, 0.1, 2.0]), 1e-6

    def widened(m, v):
        return global_trials.widened(m, v, partial(log_expected_improvement, best=0.0))

    _, by_mean, by_variance = widened(mean, variance)
    np.testing.assert_allclose(
        by_mean, (widened(mean + step, variance)[0] - widened(mean - step, variance)[0]) / (2 * step), 1e-6
    )
    slope = (widened(mean, variance + step)[0] - widened(mean, variance - step)[0]) / (2 * step)
    np.testing.assert_allclose(by_variance, slope, 1e-6)


def test_an_exploring_trial_asks_a_second_model_says_so_and_leaves_the_usual_fit_its_start():
    state, _ = run(NINE, DEFAULT, 0, 12)
    second, usual = (ask(NINE, DEFAULT, 0, state, number) for number in (12, 13))
    assert (second.provenance.source, second.provenance.note, second.prediction.theta) == ("global", ALIKE_NOTE, None)
    assert second.prediction.structure is None
    assert (usual.provenance.source, usual.provenance.note) == ("acquisition", "")
    assert usual.prediction.theta is not None


@pytest.mark.parametrize("domain", [NINE, replace(NINE, distances=(1.0 - np.eye(3), *(None,) * 8))], ids=["", "described"])
def test_the_second_model_is_the_paper_s_model_of_choices(domain):
    second = global_trial(domain, DEFAULT, 12).settings(DEFAULT)
    names = ("kernel", "ard", "priors", "rate_level")
    assert [getattr(second, name) for name in names] == [getattr(PAPER, name) for name in names]


@pytest.mark.parametrize(
    ("domain", "config", "number"),
    [
        (NINE, DEFAULT, 13),
        (NINE, DEFAULT, 64),
        (Domain(np.full(26, 3), (None,) * 26, ()), DEFAULT, 12),
        (MIXED, DEFAULT, 12),
        (NINE, replace(DEFAULT, noisy=True), 12),
        (NINE, replace(DEFAULT, kernel="overlap"), 12),
        (NINE, replace(DEFAULT, ard=False), 12),
    ],
    ids=["not global", "late", "wide", "mixed", "noisy", "other kernel", "one rate"],
)
def test_other_trials_keep_the_usual_model(domain, config, number):
    assert global_trial(domain, config, number).settings(config) == config
