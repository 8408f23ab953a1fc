from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from casmopolitan.config import Config
from casmopolitan.core.acquisition.acquisition import Score, rule_for
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.feasibility import fit_success_model
from casmopolitan.core.gp.mean import Bowl
from casmopolitan.core.gp.posterior import condition
from casmopolitan.core.gp.priors import freed_parameters
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Axis, Points
from casmopolitan.core.search import neighbours as module
from casmopolitan.core.search.believer import kriging_believer
from casmopolitan.core.search.neighbours import PROMISING, Moves, Neighbours, Starts
from casmopolitan.presets import DEFAULT

POSITIONS = np.array([0.0, 0.2, 0.5, 1.0])
APART = np.abs(np.array([0.0, 0.1, 1.0, 1.7, 3.0])[:, None] - np.array([0.0, 0.1, 1.0, 1.7, 3.0]))
DOMAINS = {
    "categorical": Domain(np.array([3, 4, 2, 3, 3]), (None,) * 5, ()),
    "ordinal": Domain(np.array([4, 4, 3]), (POSITIONS, POSITIONS, None), ()),
    "mixed": Domain(np.array([3, 4, 2]), (None,) * 3, (Axis(0.0, 1.0), Axis(1.0, 30.0, 1.0))),
    "ordinal and x": Domain(np.array([4, 3]), (POSITIONS, None), (Axis(0.0, 1.0),)),
    "switches": Domain(np.full(12, 2), (None, np.array([0.0, 1.0])) * 6, ()),
    "described": Domain(np.array([5, 3, 4]), (None, None, POSITIONS), (), distances=(APART, None, None)),
    "described and x": Domain(np.array([5, 3]), (None, None), (Axis(0.0, 1.0),), distances=(APART, None)),
    "long ordinal": Domain(np.array([70, 3]), (np.linspace(0.0, 1.0, 70), None), ()),
}


def scored(name, family="heat", trade_off=0.5, bowl=False, ard=True):
    domain, rng = DOMAINS[name], np.random.default_rng(1)
    kernel = kernel_for(domain, family, ard=ard, trade_off=trade_off)
    points, y = domain.draw(25, rng), rng.standard_normal(25)
    shape = Bowl.of(domain) if bowl else None
    y = y if shape is None else y + 2.0 * shape(points)
    theta = freed_parameters(kernel, domain.d_h, domain.d_x).start
    posterior = condition(domain, kernel, theta, points, y, shape)
    return Score(posterior, rule_for(Config(acquisition="log-ei"), float(y.min()), 0.0))


def assert_each_is_scored_as_a_point(score, table=True):
    """The values of all neighbours of three points are those of the score at these neighbours."""
    domain = score.posterior.domain
    near = Neighbours.of(score, np.random.default_rng(0))
    assert (near.changes[0].table is not None) == table
    start, moves = domain.draw(3, np.random.default_rng(2)), near.moves
    allowed = start.h[:, moves.which] != moves.level
    values = near.values(start, allowed)
    for row in range(3):
        for move in np.flatnonzero(allowed[row]):
            h = start.h[row : row + 1].copy()
            h[0, moves.which[move]] = moves.level[move]
            assert values[row, move] == pytest.approx(score(Points(h, start.x[row : row + 1]))[0], rel=1e-9, abs=1e-6)
    assert np.isneginf(values[~allowed]).all()


@pytest.mark.parametrize(("family", "trade_off"), [("heat", 0.5), ("heat", "orders"), ("categorical", 0.5)])
@pytest.mark.parametrize("name", ["categorical", "ordinal", "mixed", "ordinal and x", "described", "described and x"])
@pytest.mark.parametrize("pending", [False, True])
@pytest.mark.parametrize("failed", [False, True])
def test_the_table_of_moves_scores_each_neighbour_as_the_score_does(name, family, trade_off, pending, failed):
    score = scored(name, family, trade_off)
    domain, points = score.posterior.domain, score.posterior.points
    if failed:
        config = replace(DEFAULT, kernel=family, trade_off=trade_off)
        success = fit_success_model(domain, config, points, domain.draw(8, np.random.default_rng(8)), np.random.default_rng(0))
        score = replace(score, added=Score(success.posterior, success.log_weight))
    if pending:
        score = replace(score, posterior=kriging_believer(score.posterior, domain.draw(4, np.random.default_rng(9))))
    assert_each_is_scored_as_a_point(score, table=family == "heat")


@pytest.mark.parametrize("trade_off", [0.5, "learnt", "weights", "orders"])
@pytest.mark.parametrize("name", ["ordinal", "mixed", "ordinal and x"])
def test_the_table_follows_a_mean_that_is_a_bowl(name, trade_off):
    score = scored(name, trade_off=trade_off, bowl=True)
    assert score.posterior.bowl is not None
    assert_each_is_scored_as_a_point(score)


def test_an_ordinal_too_long_to_list_has_no_table():
    assert_each_is_scored_as_a_point(scored("long ordinal"), table=False)


def test_a_posterior_without_data_has_no_table():
    score = scored("categorical")
    empty = score.posterior.points[:0]
    prior = condition(score.posterior.domain, score.posterior.kernel, score.posterior.theta, empty, np.empty(0))
    assert_each_is_scored_as_a_point(replace(score, posterior=prior), table=False)


def test_blocks_of_any_size_give_the_same_values(monkeypatch):
    score = scored("mixed", trade_off="orders")
    near, start = Neighbours.of(score, np.random.default_rng(0)), score.posterior.domain.draw(4, np.random.default_rng(3))
    allowed = start.h[:, near.moves.which] != near.moves.level
    whole = near.values(start, allowed)
    monkeypatch.setattr(module, "BLOCK", 3 * len(score.posterior.points))
    np.testing.assert_allclose(near.values(start, allowed), whole, rtol=1e-10)


def test_the_moves_are_the_levels_seen_and_one_other_and_every_level_of_a_short_ordinal():
    domain = Domain(np.array([1000, 4, 3]), (None, POSITIONS, None), ())
    h = np.array([[7, 0, 0], [900, 0, 1], [7, 1, 2]])
    drawn = set()
    for seed in range(40):
        moves = Moves.of(domain, h, np.random.default_rng(seed))
        assert moves.which.tolist() == [0, 0, 0, 1, 1, 1, 1, 2, 2, 2]
        assert moves.level[[0, 1, *range(3, 10)]].tolist() == [7, 900, 0, 1, 2, 3, 0, 1, 2]
        drawn.add(int(moves.level[2]))
    assert len(drawn) > 30
    assert drawn <= set(range(1000)) - {7, 900}


def test_every_level_of_a_described_variable_is_a_move():
    moves = Moves.of(DOMAINS["described"], np.array([[4, 2, 0], [4, 0, 1]]), np.random.default_rng(0))
    assert moves.level[moves.which == 0].tolist() == [0, 1, 2, 3, 4]
    assert len(moves.level[moves.which == 1]) == 3


def test_a_level_is_found_where_it_is_listed_and_one_that_is_not_shares_the_random_ones_place():
    domain = Domain(np.array([50, 3]), (None, None), ())
    moves = Moves.of(domain, np.array([[4, 2], [9, 0]]), np.random.default_rng(0))
    assert moves.rows(np.array([[4, 0], [9, 2], [30, 1], [31, 1]])).tolist() == [[0, 3], [1, 4], [2, 5], [2, 5]]


def test_without_discrete_variables_there_are_no_moves():
    domain = Domain(np.empty(0, dtype=np.int64), (), (Axis(0.0, 1.0),))
    assert len(Moves.of(domain, np.empty((3, 0), dtype=np.int64), np.random.default_rng(0)).which) == 0


@pytest.mark.parametrize("trade_off", [0.5, "weights", "orders"])
@pytest.mark.parametrize("name", ["categorical", "mixed", "switches"])
@pytest.mark.parametrize("failed", [False, True])
@pytest.mark.parametrize("ard", [False, True])
def test_of_many_moves_the_promising_ones_are_scored_and_the_best_is_among_them(monkeypatch, name, trade_off, failed, ard):
    monkeypatch.setattr(module, "PROMISING", 4)
    score = scored(name, trade_off=trade_off, ard=ard)
    domain, points = score.posterior.domain, score.posterior.points
    if failed:
        config = replace(DEFAULT, trade_off=trade_off, ard=ard)
        success = fit_success_model(domain, config, points, domain.draw(8, np.random.default_rng(8)), np.random.default_rng(0))
        score = replace(score, added=Score(success.posterior, success.log_weight))
    start = domain.draw(5, np.random.default_rng(2))
    near = Neighbours.of(score, np.random.default_rng(0))
    allowed = start.h[:, near.moves.which] != near.moves.level
    every = near.values(start, allowed)
    monkeypatch.setattr(module, "MANY", 5)
    near = Neighbours.of(score, np.random.default_rng(0))
    some = near.values(start, allowed)
    finite = np.isfinite(some)
    assert (finite.sum(axis=1) == np.minimum(4, allowed.sum(axis=1))).all()
    np.testing.assert_allclose(some[finite], every[finite], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(some.max(axis=1), every.max(axis=1), rtol=1e-9, atol=1e-9)
    if not failed:  # log EI grows with the variance
        assert (Starts.of(near, start).estimates(allowed) >= every - 1e-4)[allowed].all()


def test_a_level_of_an_ordinal_between_others_leaves_no_estimate_so_that_every_move_is_scored(monkeypatch):
    monkeypatch.setattr(module, "MANY", 5)
    assert_each_is_scored_as_a_point(scored("ordinal"))


def test_a_thousand_switches_are_scored_without_a_table_of_all_moves():
    domain, rng = Domain(np.full(1000, 2), (None,) * 1000, ()), np.random.default_rng(0)
    kernel = kernel_for(domain, "heat", ard=False, trade_off=0.5)
    points, y = domain.draw(6, rng), rng.standard_normal(6)
    posterior = condition(domain, kernel, freed_parameters(kernel, 1000, 0).start, points, y)
    near = Neighbours.of(Score(posterior, rule_for(DEFAULT, float(y.min()), 0.0)), rng)
    assert near.changes[0].table is None
    values = near.values(points[:2], points.h[:2, near.moves.which] != near.moves.level)
    assert np.isfinite(values).sum(axis=1).tolist() == [PROMISING, PROMISING]
