from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

import casmopolitan.core.algorithm as algorithm
import casmopolitan.core.gp.model as model_module
import casmopolitan.core.gp.model as models
import casmopolitan.core.search.thompson as thompson_module
from casmopolitan.config import Config
from casmopolitan.core.acquisition.acquisition import Score, rule_for
from casmopolitan.core.acquisition.expected_improvement import expected_improvement, log_expected_improvement
from casmopolitan.core.algorithm import local_model
from casmopolitan.core.ask import Ask
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.fit import Fit
from casmopolitan.core.gp.model import fit_model, overall_model
from casmopolitan.core.gp.posterior import Breakdown
from casmopolitan.core.kernels.base import Role, dimension, placed
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Axis, Points, stack
from casmopolitan.core.region import box
from casmopolitan.core.region.hamming import distance
from casmopolitan.core.region.trust_region import TrustRegion
from casmopolitan.core.search.eligibility import Candidate
from casmopolitan.core.state import Asked, Cancelled, Given, Told, opening, tell
from casmopolitan.errors import ExhaustedError
from casmopolitan.presets import DEFAULT
from casmopolitan.space import Space
from oracles import neighbours
from runs import MIXED, QUICK, SMALL, ask, objective, relabelled, run
from strategies import categoricals, integers, reals, seeds, spaces


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
    assert any(ask(MIXED, QUICK, seed, state, 12).point != one.point for seed in range(4, 12))


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
    config = replace(DEFAULT, n_initial=5, design="random", noisy=True)
    noise = np.random.default_rng(0)
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
    monkeypatch.setattr(algorithm, "random_point_of_region", lambda *_: None)
    s = ask(MIXED, QUICK, 0, state, 6)
    assert (s.provenance.source, s.provenance.region, s.provenance.note) == (
        "restart",
        1,
        "every point of the region was evaluated",
    )
    assert (s.provenance.radius, s.provenance.length) == (3, 0.8)


def test_a_random_restart_is_not_scored_and_is_otherwise_the_same(monkeypatch):
    config = replace(QUICK, restart_centre="random")
    monkeypatch.setattr(algorithm, "next_centre", lambda *_: pytest.fail("Eq. (3) was maximised"))
    _, suggestions = run(MIXED, config, 1, 70)
    restarts = [s for s in suggestions if s.provenance.source == "restart"]
    assert restarts
    assert all(s.provenance.centre == s.point and s.provenance.length == 0.8 for s in restarts)
    later = [s for s in suggestions if s.provenance.region == 1 and s.provenance.source == "initial"]
    assert all(s.provenance.centre == restarts[0].point for s in later)


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
    monkeypatch.setattr(model_module, "condition", lambda *_, **__: Breakdown("nothing helps"))
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


def test_jitter_is_noted():
    domain = Domain(np.array([2, 2]), (None, None), ())
    config = replace(QUICK, noise_bounds=(1e-30, 1e-30), noisy=True)
    state = opening(domain, config)
    for number in range(8):
        state = tell(state, Given(number, domain.every_point()[number % 2], float(number)), domain, config)
    s = ask(domain, config, 0, state, 8)
    assert s.provenance.note in ("jitter", "simpler model")


# --- relabelling the categories -------------------------------------------------------------------------------------


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


def test_the_paper_never_leaves_its_region():
    _, suggestions = run(MIXED, QUICK, 5, 16)
    assert {s.provenance.source for s in suggestions} <= {"initial", "acquisition", "restart", "fallback"}


def test_a_later_region_begins_with_the_design_it_was_given():
    config = replace(QUICK, failure_tolerance=1, restart_initial=2, initial_radius=1)
    _, suggestions = run(SMALL, config, 1, 9, value=lambda point: 0.0)
    second = [s.provenance.source for s in suggestions if s.provenance.region == 1]
    assert second[:4] == ["restart", "initial", "initial", "acquisition"]


@pytest.mark.parametrize("seed", range(4))
def test_among_many_numbers_the_first_model_leads_away_from_the_extremes(seed):
    domain = Domain(np.full(10, 2), (None,) * 10, (Axis(0.0, 1.0),) * 40)

    def value(point):
        return float(((point.x - 0.4) ** 4).sum() + 0.01 * point.h.sum())

    state, _ = run(domain, replace(DEFAULT, n_initial=20), seed, 22, value)
    values = [o.value for o in state.observations]
    assert min(values[20:]) < 0.5 * min(values[:20])


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
    fails = lambda point: None if point.x[0, 0] > 0.5 else round(objective(point), 1)  # noqa: E731
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


def test_an_ei_too_small_for_a_float_is_searched_by_its_logarithm_and_recorded_as_nothing(monkeypatch):
    point, values, rules = SMALL.draw(1, np.random.default_rng(3)), iter([0.0, -812.0]), []

    def watched(score, *_):
        rules.append(score.rule.func)
        return Candidate(point, next(values))

    monkeypatch.setattr(algorithm, "interleaved_search", watched)
    state, _ = run(SMALL, replace(QUICK, n_initial=3), 0, 3)
    assert ask(SMALL, replace(QUICK, n_initial=3), 0, state, 3).prediction.acquisition == 0.0
    assert rules == [expected_improvement, log_expected_improvement]


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
    domain = Domain(np.full(9, 3), (None,) * 9, ())
    for where in ("best", "random"):
        run(domain, replace(QUICK, search_start=where), 0, 5)
    best, drawn = starts[0], starts[-1]
    assert len({row.tobytes() for row in best.h}) == 1
    assert len({row.tobytes() for row in drawn.h}) > 1


@pytest.mark.parametrize(
    ("noisy", "incumbent", "by_mean"), [(False, "observed", False), (False, "mean", True), (True, "observed", True)]
)
def test_the_value_to_beat_is_the_models_where_that_is_asked_for_or_values_are_noisy(noisy, incumbent, by_mean):
    config = replace(
        QUICK, noisy=noisy, incumbent=incumbent, acquisition="log-ei", noise_bounds=(0.5, 1.0), failure_tolerance=50
    )
    state, _ = run(MIXED, config, 0, 12)
    this = Ask(MIXED, config, 0, state, 12)
    model = local_model(this)
    best = algorithm.acquisition_function(this, model.posterior).rule.keywords["best"]
    lowest_mean = model.posterior.moments(model.posterior.points)[0].min()
    assert lowest_mean > model.posterior.y.min() + 0.01
    assert best == pytest.approx(lowest_mean if by_mean else model.posterior.y.min())


def test_thompson_sampling_believes_what_is_pending(monkeypatch):
    config, drawn = replace(QUICK, acquisition="thompson"), []
    state, _ = run(MIXED, config, 0, 8)
    waiting = ask(MIXED, config, 0, state, 8)
    state = tell(state, Asked(8, waiting), MIXED, config)
    plain = thompson_module.thompson

    def watched(posterior, candidates, rng):
        drawn.append(posterior)
        return plain(posterior, candidates, rng)

    monkeypatch.setattr(thompson_module, "thompson", watched)
    ask(MIXED, config, 0, state, 9)
    assert waiting.point.identities()[0] in drawn[0].points.identities()


def test_hyper_parameters_of_a_model_that_needed_jitter_are_not_recorded(monkeypatch):
    state, _ = run(MIXED, QUICK, 0, 8)
    plain = models.fit_model
    assert ask(MIXED, QUICK, 0, state, 8).prediction.theta is not None
    monkeypatch.setattr(models, "fit_model", lambda *args: replace(plain(*args), note="jitter"))
    suggestion = ask(MIXED, QUICK, 0, state, 8)
    assert (suggestion.provenance.note, suggestion.prediction.theta) == ("jitter", None)


SWIFT = replace(DEFAULT, n_initial=4, candidates=60, climbers=2, fit_steps=5)


@given(spaces(kinds=reals() | categoricals() | integers(), max_variables=4, clauses=0), reals(), seeds())
@settings(max_examples=15)
def test_no_point_of_a_batch_is_nearly_another(space, real, seed):
    domain = Space({**{name: space[name] for name in space}, "a real number": real}).domain
    state, _ = run(domain, SWIFT, seed, 6)
    for number in range(6, 14):
        s = ask(domain, SWIFT, seed, state, number)
        assert not any(s.point.within(other.point, SWIFT.apart)[0] for other in state.pending.values())
        state = tell(state, Asked(number, s), domain, SWIFT)


@pytest.mark.parametrize("tells", [2, 8])
def test_a_batch_holds_every_point_of_a_fine_grid(tells):
    domain, config = Domain(np.empty(0, dtype=np.int64), (), (Axis(0.0, 30.0, 1.0),)), replace(SWIFT, apart=0.11)
    state, _ = run(domain, config, 0, tells)
    for number in range(tells, 31):
        state = tell(state, Asked(number, ask(domain, config, 0, state, number)), domain, config)
    known = [o.point for o in state.observations] + [s.point for s in state.pending.values()]
    assert len(set(stack(known).identities())) == 31
    with pytest.raises(ExhaustedError):
        ask(domain, config, 0, state, 31)


def test_pending_trials_that_fill_the_region_send_the_search_elsewhere():
    domain = Domain(np.array([2]), (None,), (Axis(0.0, 1.0),))
    state, _ = run(domain, SWIFT, 0, 6)
    state = replace(state, lengths=TrustRegion(0, 0.004))
    sources = []
    for number in range(21, 24):  # no global trial is due
        s = ask(domain, SWIFT, 0, state, number)
        sources.append(s.provenance.source)
        state = tell(state, Asked(number, s), domain, SWIFT)
    assert sources == ["acquisition", "global", "global"]
    assert state.current == 0


@pytest.mark.parametrize("x", [(), (Axis(0.0, 2.0, 1.0),)])
def test_a_noisy_batch_repeats_points_only_once_all_are_pending(x):
    domain, config = Domain(np.array([2]), (None,), x), replace(SWIFT, noisy=True)
    state, _ = run(domain, config, 0, 6)
    size = domain.size
    batch = []
    for number in range(6, 6 + size + 3):
        batch.append(ask(domain, config, 0, state, number))
        state = tell(state, Asked(number, batch[-1]), domain, config)
    assert len({s.point.identities()[0] for s in batch[:size]}) == size
    assert {s.provenance.source for s in batch} <= {"acquisition", "global"}
    assert state.current == 0


def test_one_trial_of_every_eight_fits_from_two_starts_also_in_batches(monkeypatch):
    asked, fit = [], algorithm.fit_history
    monkeypatch.setattr(algorithm, "fit_history", lambda *given, **how: asked.append(given[-1]) or fit(*given, **how))
    config = replace(QUICK, n_initial=10)
    state, _ = run(MIXED, config, 0, 10)
    for number in range(10, 26):
        state = tell(state, Asked(number, ask(MIXED, config, 0, state, number)), MIXED, config)
    assert [number for number, two in enumerate(asked, start=10) if two] == [16, 24]
