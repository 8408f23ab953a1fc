"""Whole runs on spaces with conditional variables: canonical, distinct, replayed, indifferent to the names of choices."""

from dataclasses import replace

import numpy as np
import pytest

import casmopolitan as cas
from casmopolitan.core.acquisition.acquisition import Score, rule_for
from casmopolitan.core.gp.model import fit_model
from casmopolitan.core.partial import Fixed
from casmopolitan.core.points import Points
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.region.trust_region import TrustRegion
from casmopolitan.core.search.neighbours import Neighbours
from casmopolitan.core.search.steepest import allowed_moves
from casmopolitan.presets import DEFAULT
from runs import QUICK

SPACE = cas.Space(
    {
        "model": cas.Categorical(["svm", "forest", "knn"]),
        "kernel": cas.Categorical(["rbf", "poly", "linear"], when={"model": "svm"}),
        "degree": cas.Integer(2, 5, when={"kernel": "poly"}),
        "C": cas.Real(0.0, 1.0, when={"model": "svm"}),
        "trees": cas.Integer(10, 60, when={"model": "forest"}),
        "depth": cas.Ordinal([2, 4, 8], when={"model": ["forest", "knn"]}),
        "scale": cas.Categorical([True, False]),
    }
)
DOMAIN = SPACE.domain
LEARNT = replace(DEFAULT, n_initial=6, fit_steps=5, candidates=60, climbers=3)


def value(c):
    if c["model"] == "svm":
        return abs(c["C"] - 0.3) + {"rbf": 0.3, "poly": abs(c.get("degree", 3) - 3) / 3, "linear": 0.6}[c["kernel"]]
    return 0.5 + abs(c.get("trees", 40) - 40) / 40 + c["depth"] / 20 - 0.1 * c["scale"]


@pytest.mark.parametrize("config", [LEARNT, QUICK, replace(QUICK, search_start="random", acquisition="ucb")])
def test_every_suggestion_is_canonical_valid_and_new_and_the_run_can_be_replayed(config):
    optimizer = cas.Optimizer(SPACE, seed=1, config=config)
    for i in range(22):
        trial = optimizer.ask()
        assert SPACE.problems(trial.configuration) == []
        optimizer.tell(trial, cas.FAILED if i % 9 == 5 else value(trial.configuration))
    seen = [tuple(trial.configuration.items()) for trial in optimizer.trials]
    assert len(set(seen)) == len(seen)
    again = cas.Optimizer.from_json(optimizer.to_json())
    assert again.trials == optimizer.trials
    assert again.ask().configuration == optimizer.ask().configuration
    assert set(optimizer.structure().relevances) == set(SPACE)
    told = cas.Optimizer(SPACE, seed=1, config=config)
    for trial in optimizer.trials[:-1]:
        told.tell(trial.configuration, cas.FAILED if trial.value is None else trial.value)
    assert SPACE.problems(told.ask().configuration) == []


def test_a_small_space_gives_every_configuration_once():
    space = cas.Space({"a": cas.Categorical(["x", "y"]), "b": cas.Integer(1, 3, when={"a": "x"}), "c": cas.Ordinal([1, 2])})
    assert space.size == 8
    optimizer = cas.Optimizer(space, seed=0, config=QUICK)
    for _ in range(8):
        trial = optimizer.ask()
        optimizer.tell(trial, trial.configuration.get("b", 0) + trial.configuration["c"])
    assert len({tuple(t.configuration.items()) for t in optimizer.trials}) == 8
    with pytest.raises(cas.ExhaustedError):
        optimizer.ask()


def fitted(domain, points, y):
    model = fit_model(domain, LEARNT, points, y, y, None, np.random.default_rng(0))
    return Score(model.posterior, rule_for(LEARNT, float(model.posterior.y.min()), 0.0))


def test_moves_are_scored_as_the_canonical_points_that_they_lead_to():
    rng = np.random.default_rng(0)
    points = DOMAIN.draw(30, rng)
    score = fitted(DOMAIN, points, np.array([value(c) for c in SPACE.decode(points)]))
    near = Neighbours.of(score, np.random.default_rng(1))
    around = Neighbourhood.around(DOMAIN, points[0], TrustRegion(2, 0.5), np.ones(DOMAIN.d_x))
    start = around.draw(6, rng)
    assert DOMAIN.canonical(start) == start
    assert around.contains(start).all()
    allowed = allowed_moves(start, near, around)
    values = near.values(start, allowed)
    at, move = np.nonzero(allowed)
    moved = near.moved(start[at], move)
    assert DOMAIN.canonical(moved) == moved
    assert around.contains(moved).all()
    assert SPACE.encode(SPACE.decode(moved)).h.tolist() == moved.h.tolist()
    np.testing.assert_allclose(values[at, move], score(moved), rtol=1e-7, atol=1e-6)
    inactive = start.h[:, near.moves.which] == DOMAIN.levels[near.moves.which]
    assert not (allowed & inactive).any()


def test_relabelled_choices_give_relabelled_predictions():
    rng = np.random.default_rng(3)
    points, where = DOMAIN.draw(20, rng), DOMAIN.draw(10, rng)
    order = {"kernel": ["linear", "rbf", "poly"], "scale": [False, True], "model": ["knn", "svm", "forest"]}
    other = cas.Space({n: replace(v, choices=order[n]) if n in order else v for n, v in SPACE.variables.items()})
    y = np.array([value(c) for c in SPACE.decode(points)])
    first, second = (
        fitted(space.domain, Points(space.encode(SPACE.decode(points)).h, points.x), y).posterior.moments(
            Points(space.encode(SPACE.decode(where)).h, where.x)
        )
        for space in (SPACE, other)
    )
    for a, b in zip(first, second, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-8)


def test_fixed_coordinates_bring_their_parents_and_leave_out_what_cannot_exist():
    degree = list(SPACE).index("degree")
    spare = DOMAIN.draw_values(1, np.random.default_rng(0))
    fixed = Fixed({degree: 1}).implied(DOMAIN, spare)
    assert SPACE.decode(fixed.applied(DOMAIN.draw(5, np.random.default_rng(1))))[0]["degree"] == 3
    part = fixed.part(DOMAIN)
    assert part.conditions is None
    whole = fixed.whole(part.draw(5, np.random.default_rng(2)))
    assert DOMAIN.canonical(whole) == whole
    assert all(c["kernel"] == "poly" and c["degree"] == 3 for c in SPACE.decode(whole))
