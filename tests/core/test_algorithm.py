from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

import casmopolitan.core.algorithm as algorithm
import casmopolitan.core.extensions.failures as failures_module
import casmopolitan.core.gp.model as model_module
from casmopolitan.config import Config
from casmopolitan.core.acquisition.acquisition import Score, rule_for
from casmopolitan.core.algorithm import ask, overall_model
from casmopolitan.core.domain import Domain
from casmopolitan.core.extensions.failures import hopeful
from casmopolitan.core.extensions.global_trials import neglected
from casmopolitan.core.gp.feasibility import fit_success_model
from casmopolitan.core.gp.fit import Fit
from casmopolitan.core.gp.model import fit_model
from casmopolitan.core.gp.posterior import Breakdown
from casmopolitan.core.kernels.base import Role, dimension, placed
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Axis, Points
from casmopolitan.core.region import box
from casmopolitan.core.region.hamming import distance
from casmopolitan.core.region.trust_region import TrustRegion
from casmopolitan.core.search.eligibility import Candidate, Eligibility
from casmopolitan.core.state import Asked, Cancelled, Given, Provenance, Suggestion, Told, opening, tell
from casmopolitan.errors import ExhaustedError
from casmopolitan.presets import DEFAULT, PAPER
from oracles import neighbours
from strategies import seeds, spaces

QUICK = Config(n_initial=4, fit_steps=5, fit_starts=1, search_steps=8, failure_tolerance=2)
MIXED = Domain(np.array([3, 4, 2]), (None, None, None), (Axis(0.0, 1.0), Axis(1.0, 50.0, 1.0)))
SMALL = Domain(np.array([3, 2, 2]), (None, None, None), ())


def objective(point):
    return float((point.h * np.arange(1, point.h.shape[1] + 1)).sum() + ((point.x - 0.3) ** 2).sum())


def run(domain, config, seed, n, value=objective, state=None, first=0):
    state = opening(domain, config) if state is None else state
    suggestions = []
    for number in range(first, first + n):
        suggestion = ask(domain, config, seed, state, number)
        state = tell(state, Asked(number, suggestion), domain, config)
        state = tell(state, Told(number, value(suggestion.point)), domain, config)
        suggestions.append(suggestion)
    return state, suggestions


def box_of(domain, config, suggestion):
    """The corners of the recorded box: its centre, its length and the lengthscales recorded with the trial."""
    lengthscales = np.ones(domain.d_x)
    if suggestion.prediction.theta is not None:
        kernel = kernel_for(domain, config.kernel, ard=config.ard, trade_off=config.trade_off)
        theta = suggestion.prediction.theta
        found = [theta[at] for block, at in placed(kernel.blocks) if block.role is Role.LENGTHSCALE]
        lengthscales = np.broadcast_to(np.concatenate(found), (domain.d_x,))
    return box.bounds(suggestion.provenance.centre.x[0], suggestion.provenance.length, lengthscales)


def assert_inside_its_region(domain, config, s):
    assert ((s.point.x >= 0) & (s.point.x <= 1)).all()
    assert ((s.point.h >= 0) & (s.point.h < domain.levels)).all()
    assert domain.snapped(s.point) == s.point
    if s.provenance.centre is None:
        assert s.provenance.region == 0 or s.provenance.note
        return
    if s.provenance.radius is not None:
        assert distance(s.point.h, s.provenance.centre.h[0])[0] <= s.provenance.radius
    if s.provenance.length is not None:
        low, high = box_of(domain, config, s)
        slack = 2e-3 * s.provenance.length  # hyper-parameters are recorded to four digits
        assert (s.point.x[0] >= low - slack).all()
        assert (s.point.x[0] <= high + slack).all()


@given(spaces(max_variables=4), seeds())
@settings(max_examples=15)
def test_no_suggestion_leaves_its_recorded_region_or_the_space(space, seed):
    values = np.random.default_rng(seed)
    state, domain = opening(space.domain, QUICK), space.domain
    for number in range(16):
        try:
            s = ask(domain, QUICK, seed, state, number)
        except ExhaustedError:
            assert space.size <= number + 1 or space.constraint
            break
        assert_inside_its_region(domain, QUICK, s)
        assert domain.allows(s.point)[0]
        state = tell(tell(state, Asked(number, s), domain, QUICK), Told(number, values.normal()), domain, QUICK)


@pytest.mark.parametrize("seed", range(3))
def test_regions_are_kept_through_growing_shrinking_and_restarting(seed):
    state, suggestions = run(MIXED, QUICK, seed, 70)
    for s in suggestions:
        assert_inside_its_region(MIXED, QUICK, s)
    assert state.current >= 1
    assert {s.provenance.source for s in suggestions} >= {"initial", "acquisition", "restart"}


def test_ask_is_pure():
    state, _ = run(MIXED, QUICK, 3, 12)
    one, two = (ask(MIXED, QUICK, 3, state, 12) for _ in range(2))
    assert one.point == two.point
    assert vars(one.prediction) == vars(two.prediction)
    assert ask(MIXED, QUICK, 4, state, 12).point != one.point


def test_an_acquisition_is_explained_in_full():
    _, suggestions = run(MIXED, QUICK, 0, 6)
    s = suggestions[-1]
    assert s.provenance.source == "acquisition"
    assert all(
        math.isfinite(v)
        for v in (s.prediction.acquisition, s.prediction.mean, s.prediction.deviation, s.provenance.length, *s.prediction.theta)
    )
    assert s.provenance.radius is not None
    assert s.provenance.centre is not None


def test_eight_pending_suggestions_are_distinct():
    state, _ = run(SMALL, replace(QUICK, n_initial=3), 0, 3)
    seen = []
    for number in range(3, 11):
        s = ask(SMALL, replace(QUICK, n_initial=3), 0, state, number)
        seen.append(s.point.identities()[0])
        state = tell(state, Asked(number, s), SMALL, QUICK)
    assert len(set(seen)) == 8


@pytest.mark.parametrize("n_initial", [2, 5, 20])
@pytest.mark.parametrize("trust_region", [True, False])
def test_a_space_of_twelve_gives_twelve_points_and_then_says_so(n_initial, trust_region):
    config = replace(QUICK, n_initial=n_initial, trust_region=trust_region)
    state, suggestions = run(SMALL, config, 0, 12)
    assert len({s.point.identities()[0] for s in suggestions}) == 12
    with pytest.raises(ExhaustedError) as caught:
        ask(SMALL, config, 0, state, 12)
    assert (caught.value.evaluated, caught.value.size, caught.value.certain) == (12, 12, True)


def test_a_constrained_space_gives_every_allowed_point_once():
    domain = replace(SMALL, feasible=lambda points: points.h[:, 0] != 1)
    state, suggestions = run(domain, replace(QUICK, n_initial=3), 1, 8)
    assert len({s.point.identities()[0] for s in suggestions}) == 8
    assert all(s.point.h[0, 0] != 1 for s in suggestions)
    with pytest.raises(ExhaustedError) as caught:
        ask(domain, QUICK, 1, state, 8)
    assert (caught.value.evaluated, caught.value.size) == (8, 12)


def test_failed_points_are_offered_again_last_and_once():
    def broken(point):
        return None if point.h[0, 0] == 0 else objective(point)

    config = replace(QUICK, n_initial=3)
    state, suggestions = run(SMALL, config, 2, 16, broken)
    first, again = suggestions[:12], suggestions[12:]
    assert len({s.point.identities()[0] for s in first}) == 12
    failed = {s.point.identities()[0] for s in first if s.point.h[0, 0] == 0}
    assert {s.point.identities()[0] for s in again} == failed
    with pytest.raises(ExhaustedError):
        ask(SMALL, config, 2, state, 16)


def test_integers_and_steps_never_repeat():
    domain = Domain(np.array([2]), (None,), (Axis(1.0, 4.0, 1.0), Axis(0.0, 1.0, 0.5)))
    _, suggestions = run(domain, QUICK, 0, 24)
    assert len({s.point.identities()[0] for s in suggestions}) == 24


def test_a_noisy_objective_may_be_asked_about_a_point_again():
    noisy = replace(QUICK, noisy=True, n_initial=3)
    _, suggestions = run(Domain(np.array([2, 2]), (None, None), ()), noisy, 0, 12)
    assert len(suggestions) == 12


def test_a_noisy_objective_is_not_asked_about_one_point_over_and_over():
    """Plain EI over the best mean stays at the best point: evaluating it again promises σφ(0), whatever is known of it."""
    config, noise = replace(DEFAULT, n_initial=5, noisy=True), np.random.default_rng(0)
    domain = Domain(np.full(12, 2), (None,) * 12, ())
    weights = np.random.default_rng(1).normal(size=(12, 12))
    _, suggestions = run(domain, config, 0, 60, lambda p: float(p.h[0] @ weights @ p.h[0]) + noise.normal())
    often = Counter(s.point.identities()[0] for s in suggestions)
    assert max(often.values()) < 25  # 14; with plain EI 37
    assert len(often) > 25  # 34; with plain EI 19


def test_a_noisy_objective_avoids_points_that_only_failed():
    domain = Domain(np.array([2, 2]), (None, None), ())
    noisy = replace(QUICK, noisy=True)
    every = domain.every_point()
    state = opening(domain, noisy)
    for number, value in enumerate([None, 1.0, 2.0]):
        state = tell(state, Given(number, every[number], value), domain, noisy)
    for number in range(3, 15):
        assert ask(domain, noisy, 0, state, number).point != every[0]


def test_with_noise_the_centre_goes_by_the_models_mean():
    """One lucky reading at 0.9 among many poor ones there, against steady good ones at 0.2."""
    domain = Domain(np.empty(0, dtype=np.int64), (), (Axis(0.0, 1.0),))
    config = Config(n_initial=4, fit_starts=1, fit_steps=60, search_steps=5, noisy=True)
    state, number = opening(domain, config), 0
    for x, value in [(0.9, 2.0), (0.9, 2.2), (0.9, -0.1), (0.9, 2.1), (0.2, 0.0), (0.2, 0.1), (0.2, 0.05), (0.5, 1.0)]:
        point = Points(np.empty((1, 0), dtype=np.int64), np.array([[x]]))
        state = tell(state, Given(number, point, value), domain, config)
        number += 1
    assert ask(domain, config, 0, state, number).provenance.centre.x[0, 0] == 0.2
    assert ask(domain, replace(config, noisy=False), 0, state, number).provenance.centre.x[0, 0] == 0.9


def test_a_cancelled_point_may_be_suggested_again():
    domain = Domain(np.array([2]), (None,), ())
    state, _ = run(domain, QUICK, 0, 1)
    last = ask(domain, QUICK, 0, state, 1)
    state = tell(tell(state, Asked(1, last), domain, QUICK), Cancelled(1), domain, QUICK)
    assert ask(domain, QUICK, 0, state, 2).point == last.point


def test_a_restart_records_the_new_regions_first_lengths():
    _, suggestions = run(MIXED, QUICK, 1, 70)
    for s in suggestions:
        if s.provenance.source == "restart":
            assert (s.provenance.radius, s.provenance.length) == (3, 0.8)
            assert s.provenance.centre == s.point


def test_a_region_without_a_free_point_is_left_by_a_restart_with_first_lengths(monkeypatch):
    state, _ = run(MIXED, replace(QUICK, failure_tolerance=40), 0, 6)
    state = replace(state, lengths=TrustRegion(1, 0.1))
    monkeypatch.setattr(algorithm, "interleaved_search", lambda *_: None)
    monkeypatch.setattr(algorithm, "within", lambda *_: None)
    s = ask(MIXED, QUICK, 0, state, 6)
    assert (s.provenance.source, s.provenance.region, s.provenance.note) == (
        "restart",
        1,
        "every point of the region was evaluated",
    )
    assert (s.provenance.radius, s.provenance.length) == (3, 0.8)


def test_scored_designs_are_of_the_whole_space_and_claim_no_region():
    config = replace(QUICK, restart_design="scored")
    _, suggestions = run(MIXED, config, 1, 60)
    scored = [s for s in suggestions if s.provenance.source == "initial" and s.provenance.region > 0]
    assert scored
    assert all(s.provenance.centre is None and s.provenance.note.startswith("scored") for s in scored)


@pytest.mark.parametrize("name", ["ei", "log-ei", "augmented-ei", "ucb", "thompson"])
def test_every_acquisition_gives_fresh_points(name):
    _, suggestions = run(MIXED, replace(QUICK, acquisition=name, failure_tolerance=40), 0, 14)
    assert len({s.point.identities()[0] for s in suggestions}) == 14
    assert suggestions[-1].provenance.source == "acquisition"


@pytest.mark.parametrize("start", ["best", "random"])
@pytest.mark.parametrize("data", ["region", "all"])
def test_every_start_and_both_kinds_of_data_work_through_a_restart(start, data):
    state, _ = run(MIXED, replace(QUICK, search_start=start, data=data), 0, 50)
    assert state.current >= 1


def test_all_data_serve_a_region_whose_own_trials_all_failed():
    config = replace(QUICK, data="all", failure_tolerance=1)
    state, _ = run(MIXED, config, 0, 20)
    region = state.current
    state, later = run(MIXED, config, 0, 14, lambda point: None, state, first=20)
    assert any(s.provenance.region >= region and s.provenance.source == "acquisition" for s in later)


def test_a_failing_fit_falls_back_to_a_simpler_model_and_says_so(monkeypatch):
    state, _ = run(MIXED, QUICK, 0, 6)
    monkeypatch.setattr(
        model_module, "fit_hyperparameters", lambda kernel, *_: Fit(np.ones(dimension(kernel) + 2), -math.inf, 0)
    )
    s = ask(MIXED, QUICK, 0, state, 6)
    assert (s.provenance.source, s.provenance.note) == ("acquisition", "simpler model")
    length = 1.6 if s.prediction.theta is None else s.provenance.length
    assert_inside_its_region(MIXED, QUICK, replace(s, provenance=replace(s.provenance, length=length)))


def test_a_failing_factorisation_falls_back_to_a_random_point_of_the_region_and_says_so(monkeypatch):
    state, _ = run(MIXED, QUICK, 0, 6)
    monkeypatch.setattr(model_module, "condition", lambda *_: Breakdown("nothing helps"))
    s = ask(MIXED, QUICK, 0, state, 6)
    assert (s.provenance.source, s.provenance.note) == ("fallback", "nothing helps: random in the region")
    assert_inside_its_region(MIXED, QUICK, s)
    assert overall_model(MIXED, QUICK, 0, state) is None


def test_a_search_that_finds_nothing_falls_back_to_a_random_point_of_the_region_and_says_so(monkeypatch):
    state, _ = run(MIXED, QUICK, 0, 6)
    monkeypatch.setattr(algorithm, "interleaved_search", lambda *_: None)
    s = ask(MIXED, QUICK, 0, state, 6)
    assert s.provenance.source == "fallback"
    assert s.provenance.note.startswith("no candidate of the search")
    assert_inside_its_region(MIXED, QUICK, s)


def test_a_search_of_the_whole_space_that_finds_nothing_claims_no_region(monkeypatch):
    config = replace(QUICK, global_every=6)
    state, _ = run(MIXED, config, 0, 6)
    monkeypatch.setattr(algorithm, "interleaved_search", lambda *_: None)
    s = ask(MIXED, config, 0, state, 6)
    assert (s.provenance.source, s.provenance.radius, s.provenance.length) == ("fallback", None, None)
    assert s.provenance.note == "no candidate of the search may be suggested: random in the whole space"


def test_jitter_is_noted():
    domain = Domain(np.array([2, 2]), (None, None), ())
    config = replace(QUICK, noise_bounds=(1e-30, 1e-30), noisy=True)
    state = opening(domain, config)
    for number in range(8):
        state = tell(state, Given(number, domain.every_point()[number % 2], float(number)), domain, config)
    s = ask(domain, config, 0, state, 8)
    assert s.provenance.note in ("jitter", "simpler model")


def test_what_is_taken_and_what_may_be_offered_again():
    state = opening(SMALL, QUICK)
    every = SMALL.every_point()
    for number, value in enumerate([1.0, None, None, None]):
        state = tell(state, Given(number, every[min(number, 2)], value), SMALL, QUICK)
    found = Eligibility.of(SMALL, QUICK, state)
    assert found.fresh(every[:4]).tolist() == [False, False, False, True]
    assert found.failed_once == (every[1],)  # the third point has failed twice


# --- relabelling the categories -------------------------------------------------------------------------------------


def relabelled(points, permutations):
    return Points(np.stack([p[points.h[:, j]] for j, p in enumerate(permutations)], axis=1), points.x)


@given(seeds())
@settings(max_examples=6)
def test_permuted_codes_permute_posterior_acquisition_and_a_deterministic_climb(seed):
    rng = np.random.default_rng(seed)
    domain = Domain(np.array([3, 4, 2, 5]), (None,) * 4, (Axis(0.0, 1.0),))
    permutations = [rng.permutation(n) for n in domain.levels]
    points, y = domain.draw(14, rng), rng.standard_normal(14)
    where = domain.draw(40, rng)
    config = Config(fit_steps=15, fit_starts=2)
    models = [
        fit_model(domain, config, data, y, y, None, np.random.default_rng(1))
        for data in (points, relabelled(points, permutations))
    ]
    one, two = (m.posterior for m in models)
    for a, b in zip(one.moments(where), two.moments(relabelled(where, permutations)), strict=True):
        assert a == pytest.approx(b, abs=1e-9)
    scores = [Score(p, rule_for(config, float(y.min()), 0.01)) for p in (one, two)]
    assert scores[0](where) == pytest.approx(scores[1](relabelled(where, permutations)), abs=1e-9)
    ends = [
        climbed_to_the_top(s, start, domain) for s, start in zip(scores, (where, relabelled(where, permutations)), strict=True)
    ]
    assert relabelled(ends[0], permutations) == ends[1]


def climbed_to_the_top(score, start, domain):
    """Steepest ascent over all neighbours from the first point."""
    point, value = start[0], score(start[0])[0]
    while True:
        around = neighbours(point.h[0], domain.levels)
        values = score(Points(around, np.repeat(point.x, len(around), axis=0)))
        best = int(np.argmax(values))
        if values[best] <= value + 1e-9:
            return point
        point, value = Points(around[best : best + 1], point.x), values[best]


def test_over_seeds_relabelled_trajectories_agree_in_distribution():
    domain = Domain(np.full(6, 4), (None,) * 6, ())
    weights = np.random.default_rng(0).normal(size=(6, 4))
    permutations = [np.random.default_rng(j + 1).permutation(4) for j in range(6)]

    def plain(point):
        return float(weights[np.arange(6), point.h[0]].sum())

    def moved(point):
        return float(sum(weights[j, np.flatnonzero(permutations[j] == point.h[0, j])[0]] for j in range(6)))

    config = replace(QUICK, n_initial=6, failure_tolerance=10)
    best = [
        [min(o.value for o in run(domain, config, seed, 25, value)[0].observations) for seed in range(24)]
        for value in (plain, moved)
    ]
    spread = np.std(best) / math.sqrt(24)
    assert abs(np.mean(best[0]) - np.mean(best[1])) < 5 * spread


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


def heard(domain, config, points, values):
    """The state after these points were evaluated, asked for one by one."""
    state = opening(domain, config)
    for number, value in enumerate(values):
        state = tell(state, Asked(number, Suggestion(points[number], Provenance(0, "initial"))), domain, config)
        state = tell(state, Told(number, value), domain, config)
    return state


def least_tried(domain, config, state, number=99):
    return neglected(domain, state, algorithm.Ask(domain, config, 0, state, number).pending)


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


def test_the_paper_never_leaves_its_region():
    _, suggestions = run(MIXED, QUICK, 5, 16)
    assert {s.provenance.source for s in suggestions} <= {"initial", "acquisition", "restart", "fallback"}


def test_a_later_region_begins_with_the_design_it_was_given():
    config = replace(QUICK, failure_tolerance=1, restart_initial=2, initial_radius=1)
    _, suggestions = run(SMALL, config, 1, 9, value=lambda point: 0.0)
    second = [s.provenance.source for s in suggestions if s.provenance.region == 1]
    assert second[:4] == ["restart", "initial", "initial", "acquisition"]


def test_unknown_places_are_expected_at_the_initial_samples_level_even_when_the_model_sees_other_data():
    config = replace(QUICK, kernel="heat", priors="freed", fit="lbfgs", targets="robust", capacity=6, failure_tolerance=50)
    state, _ = run(MIXED, config, 2, 24)
    model = algorithm.local_model(algorithm.Ask(MIXED, config, 2, state, 24))
    assert len(model.posterior.y) == 6
    level, _ = model.targets.invert(np.zeros(1), np.ones(1))
    assert level[0] == pytest.approx(np.median([o.value for o in state.observations[:4]]))


@pytest.mark.parametrize("seed", range(4))
def test_among_many_numbers_the_first_model_leads_away_from_the_extremes(seed):
    domain = Domain(np.full(10, 2), (None,) * 10, (Axis(0.0, 1.0),) * 40)

    def value(point):
        return float(((point.x - 0.4) ** 4).sum() + 0.01 * point.h.sum())

    state, _ = run(domain, replace(DEFAULT, n_initial=20), seed, 22, value)
    values = [o.value for o in state.observations]
    assert min(values[20:]) < 0.5 * min(values[:20])


TEMPTING = Domain(np.array([2] * 6 + [4] * 4), (None,) * 10, ())


def tempting(point):
    """The more switches are on and the more third levels chosen, the better; with a fourth level a trial fails."""
    levels = point.h[0, 6:]
    return None if (levels == 3).any() else float(-point.h[0, :6].sum() - (levels == 2).sum())


def failures(suggestions):
    return sum(tempting(s.point) is None for s in suggestions)


def test_where_trials_fail_by_a_rule_the_rule_is_learnt():
    config, failed = replace(DEFAULT, n_initial=15), {"avoided": 0, "learnt": 0}
    for seed in range(4):
        for way in failed:
            state, suggestions = run(TEMPTING, replace(config, failures=way), seed, 40, tempting)
            failed[way] += failures(suggestions[15:])
            assert min(o.value for o in state.observations) == -10.0
    assert failed["learnt"] < 0.7 * failed["avoided"]


def test_a_suggestion_says_how_probably_it_will_succeed_once_a_trial_has_failed():
    config = replace(DEFAULT, n_initial=6)
    state, before = run(TEMPTING, config, 0, 8)
    assert [s.prediction.success for s in before] == [None] * 8
    state, after = run(TEMPTING, config, 0, 3, lambda _: None, state, 8)
    assert after[0].prediction.success is None
    assert all(0 < s.prediction.success < 1 for s in after[1:])
    _, (last,) = run(TEMPTING, config, 0, 1, tempting, state, 11)
    assert last.prediction.success < 1


@pytest.mark.parametrize("changed", [{"failures": "avoided"}, {"acquisition": "ucb"}, {"acquisition": "thompson"}])
def test_failures_are_learnt_from_only_where_that_is_asked_for_and_log_ei_is_maximised(changed):
    config = replace(DEFAULT, n_initial=4, **changed)
    _, suggestions = run(TEMPTING, config, 0, 8, lambda p: None if p.h[0, 0] else objective(p))
    assert {s.prediction.success for s in suggestions} == {None}


def test_the_success_model_is_made_once_an_ask_also_where_a_level_is_held(monkeypatch):
    made = []
    monkeypatch.setattr(failures_module, "fit_success_model", lambda *a: made.append(a) or fit_success_model(*a))
    config = replace(DEFAULT, n_initial=4, global_every=1)
    state, _ = run(MIXED, config, 0, 6, lambda p: None if p.h[0, 0] == 1 else objective(p))
    made.clear()
    ask(MIXED, config, 0, state, 6)
    assert len(made) == 1
    assert len(made[0][2]) + len(made[0][3]) == 6


def test_where_nothing_is_left_to_gain_what_is_known_to_fail_is_still_left_alone():
    """With the objective known exactly, EI is nothing anywhere: only the probability of success is left to go by."""
    domain = Domain(np.full(8, 3), (None,) * 8, ())

    def known(point):
        h = point.h[0]
        return None if h[0] == 2 and h[1] != 0 else float(-(h == 2).sum())

    _, suggestions = run(domain, DEFAULT, 0, 50, known)
    late = suggestions[32:]
    assert min(s.prediction.success for s in late) > 0.2
    assert sum(known(s.point) is None for s in late) <= 3


@pytest.mark.parametrize(("capacity", "sizes"), [(6, (3, 3)), (1, (1, 1)), (100, (6, 4))])
def test_at_most_half_the_capacity_goes_to_the_latest_failures(monkeypatch, capacity, sizes):
    made = []
    monkeypatch.setattr(failures_module, "fit_success_model", lambda *a: made.append(a) or fit_success_model(*a))
    state, every = opening(SMALL, DEFAULT), SMALL.every_point()
    for number in range(10):
        state = tell(state, Given(number, every[number], None if number >= 4 else objective(every[number])), SMALL, DEFAULT)
    run(SMALL, replace(DEFAULT, n_initial=4, capacity=capacity), 0, 1, objective, state, 10)
    succeeded, failed = made[0][2:4]
    assert (len(failed), len(succeeded)) == sizes
    assert failed == every[10 - len(failed) : 10]


ONE_IN_FOUR = Domain(np.full(6, 4), (None,) * 6, ())


def test_later_regions_begin_where_trials_probably_succeed():
    config = replace(DEFAULT, failure_tolerance=3, n_initial=20)
    _, suggestions = run(ONE_IN_FOUR, config, 0, 110, lambda p: None if p.h[0, 0] else float(-p.h.sum()))
    later = [s for s in suggestions if s.provenance.region > 0 and s.provenance.source in ("initial", "restart")]
    assert len(later) > 10
    assert all(0 <= s.prediction.success <= 1 for s in later)
    assert sum(s.point.h[0, 0] > 0 for s in later) < len(later) / 4  # of random points three in four fail


@pytest.mark.parametrize(("P", "chosen"), [([0.1, 0.6, 0.9], 1), ([0.1, 0.3, 0.2], 1), ([0.5, 0.9, 0.1], 0)])
def test_the_first_hopeful_point_is_taken_or_else_the_likeliest(P, chosen):
    points = SMALL.every_point()[:3]

    class Told:
        def probability(self, _):
            return np.array(P)

    assert hopeful(points, Told()) == (points[chosen], P[chosen])
    assert hopeful(points, None) == (points[0], None)


def test_a_level_that_failed_is_not_a_level_that_was_neglected():
    state = opening(MIXED, DEFAULT)
    rng, number = np.random.default_rng(0), 0
    for level, ends in ((0, [1.0] * 6), (1, [2.0] * 6), (2, [3.0] + [None] * 12)):
        for end in ends:
            point = Points(np.array([[level, *rng.integers(0, [4, 2])]]), MIXED.draw(1, rng).x)
            state, number = tell(state, Given(number, point, end), MIXED, DEFAULT), number + 1
    assert least_tried(MIXED, DEFAULT, state, number) != (0, 2)


def test_a_restart_that_was_cancelled_is_made_again():
    state, suggestions = run(MIXED, QUICK, 0, 80)
    first = next(number for number, s in enumerate(suggestions) if s.provenance.source == "restart")
    state, _ = run(MIXED, QUICK, 0, first)
    state = tell(state, Asked(first, ask(MIXED, QUICK, 0, state, first)), MIXED, QUICK)
    state = tell(state, Cancelled(first), MIXED, QUICK)
    again = ask(MIXED, QUICK, 0, state, first + 1)
    assert (again.provenance.source, again.provenance.region) == ("restart", suggestions[first].provenance.region)
    assert again.point == again.provenance.centre


def test_a_later_region_whose_whole_design_fails_is_left():
    line = Domain(np.empty(0, dtype=np.int64), (), (Axis(0.0, 1.0),))
    config = replace(QUICK, n_initial=3)
    fails = lambda point: None if point.x[0, 0] > 0.5 else objective(point)  # noqa: E731
    state, suggestions = run(line, config, 0, 120, fails)
    designs = [
        sum(s.provenance.source == "initial" and s.provenance.region == region for s in suggestions)
        for region in range(1, state.current)
    ]
    assert state.current > 3
    assert max(designs) == config.n_initial


def test_a_design_under_evaluation_is_waited_for():
    state, _ = run(SMALL, QUICK, 0, 4)
    state = replace(state, regions=(*state.regions, replace(state.regions[0], designed=0, best=None)))
    first = ask(SMALL, QUICK, 0, state, 4)
    state = tell(state, Asked(4, first), SMALL, QUICK)
    state = replace(state, regions=(*state.regions[:-1], replace(state.regions[-1], designed=9)))
    assert ask(SMALL, QUICK, 0, state, 5).provenance.region == first.provenance.region


def test_the_initial_sample_is_of_the_design_whatever_came_first():
    config = replace(QUICK, n_initial=3)
    state = opening(SMALL, config)
    for number, value in enumerate([100.0, None, 101.0]):
        state = tell(state, Asked(number, ask(SMALL, config, 0, state, number)), SMALL, config)
        state = tell(state, Told(number, value), SMALL, config)
    state, _ = run(SMALL, config, 0, 3, lambda point: 1.0, state, first=3)
    assert state.sample(3).tolist() == [100.0, 101.0]
    assert state.sample(1, 0).tolist() == [100.0]
    alone = replace(state, observations=state.observations[2:])
    assert alone.sample(2).tolist() == [1.0, 1.0], "without a design, what there is"


def test_an_improvement_too_small_for_a_float_is_searched_by_its_logarithm():
    line = Domain(np.empty(0, dtype=np.int64), (), (Axis(0.0, 1.0), Axis(0.0, 1.0)))
    wavy = lambda point: float(np.sin(13 * point.x[0, 0]) * np.sin(9 * point.x[0, 1]) + point.x[0, 0])  # noqa: E731
    _, suggestions = run(line, replace(PAPER, n_initial=10, fit_steps=30), 1, 40, wavy)
    x = np.array([s.point.x[0] for s in suggestions])
    nearest = [np.abs(x[:i] - x[i]).max(axis=1).min() for i in range(10, 40)]
    assert sum(gap < 1e-4 for gap in nearest) <= 3


def test_an_ei_too_small_for_a_float_is_recorded_as_nothing(monkeypatch):
    point, values = SMALL.draw(1, np.random.default_rng(3)), iter([0.0, -812.0])
    monkeypatch.setattr(algorithm, "interleaved_search", lambda *_: Candidate(point, next(values)))
    state, _ = run(SMALL, replace(QUICK, n_initial=3), 0, 3)
    assert ask(SMALL, replace(QUICK, n_initial=3), 0, state, 3).prediction.acquisition == 0.0


def test_a_first_design_that_fails_whole_stays_in_the_first_region():
    _, suggestions = run(MIXED, QUICK, 0, 9, lambda point: None)
    assert {s.provenance.region for s in suggestions} == {0}
    assert {s.provenance.source for s in suggestions} == {"initial"}


def test_walks_may_begin_at_random_points_of_the_region(monkeypatch):
    starts, search = [], algorithm.interleaved_search

    def watched(score, start, *rest):
        starts.append(start)
        return search(score, start, *rest)

    monkeypatch.setattr(algorithm, "interleaved_search", watched)
    for where in ("best", "random"):
        run(MIXED, replace(QUICK, search_start=where), 0, 5)
    best, drawn = starts[0], starts[-1]
    assert len({row.tobytes() for row in best.x}) == 1
    assert len({row.tobytes() for row in drawn.x}) > 1


@pytest.mark.parametrize(
    ("noisy", "incumbent", "by_mean"), [(False, "observed", False), (False, "mean", True), (True, "observed", True)]
)
def test_the_value_to_beat_is_the_models_where_that_is_asked_for_or_values_are_noisy(noisy, incumbent, by_mean):
    config = replace(
        QUICK, noisy=noisy, incumbent=incumbent, acquisition="log-ei", noise_bounds=(0.5, 1.0), failure_tolerance=50
    )
    state, _ = run(MIXED, config, 0, 12)
    this = algorithm.Ask(MIXED, config, 0, state, 12)
    model = algorithm.local_model(this)
    best = algorithm.scored(this, model.posterior).rule.keywords["best"]
    lowest_mean = model.posterior.moments(model.posterior.points)[0].min()
    assert lowest_mean > model.posterior.y.min() + 0.01
    assert best == pytest.approx(lowest_mean if by_mean else model.posterior.y.min())


def test_thompson_sampling_believes_what_is_pending(monkeypatch):
    config, drawn = replace(QUICK, acquisition="thompson"), []
    state, _ = run(MIXED, config, 0, 8)
    waiting = ask(MIXED, config, 0, state, 8)
    state = tell(state, Asked(8, waiting), MIXED, config)
    plain = algorithm.thompson

    def watched(posterior, candidates, rng):
        drawn.append(posterior)
        return plain(posterior, candidates, rng)

    monkeypatch.setattr(algorithm, "thompson", watched)
    ask(MIXED, config, 0, state, 9)
    assert waiting.point.identities()[0] in drawn[0].points.identities()


def test_hyper_parameters_of_a_model_that_needed_jitter_are_not_recorded(monkeypatch):
    state, _ = run(MIXED, QUICK, 0, 8)
    plain = algorithm.fit_model
    assert ask(MIXED, QUICK, 0, state, 8).prediction.theta is not None
    monkeypatch.setattr(algorithm, "fit_model", lambda *args: replace(plain(*args), note="jitter"))
    suggestion = ask(MIXED, QUICK, 0, state, 8)
    assert (suggestion.provenance.note, suggestion.prediction.theta) == ("jitter", None)


def test_the_model_of_everything_takes_the_level_of_unknown_places_from_the_design():
    """The values after the design are all far better: centred on them, unknown places would be expected to be so too."""
    domain, config = Domain(np.full(12, 3), (None,) * 12, ()), replace(DEFAULT, n_initial=6)
    points = domain.draw(40, np.random.default_rng(0))
    values = [*np.linspace(9.0, 11.0, 6), *np.linspace(-1.0, 1.0, 34)]
    model = overall_model(domain, config, 0, heard(domain, config, points, values))
    assert model.targets.invert(np.zeros(1), np.ones(1))[0][0] == pytest.approx(10.0)
