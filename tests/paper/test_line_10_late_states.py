"""Line 10 at late states of a mixed space, where EI is tiny nearly everywhere: the suggested point beats random ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import casmopolitan.core.algorithm as algorithm
from casmopolitan import PAPER, Optimizer, problems
from casmopolitan.core.acquisition.acquisition import rule_for
from casmopolitan.core.points import Points

PROBLEM = problems.get("ackley-13")


def tell(optimizer, bits, numbers):
    names = {f"h{i}": int(bit) for i, bit in enumerate(bits, 1)} | {f"x{i}": float(x) for i, x in enumerate(numbers, 1)}
    optimizer.tell(names, PROBLEM(names))


def closing_in(seed):
    """A history like that of a late region: random points, then points ever closer to the optimum."""
    rng = np.random.default_rng(seed)
    optimizer = Optimizer(PROBLEM.space, seed=seed, config=PAPER)
    for wrong, away in [(5, 1.0)] * 20 + [(2, 0.3)] * 20 + [(1, 0.1)] * 20 + [(0, 0.02)] * 10:
        tell(optimizer, rng.permutation([1] * wrong + [0] * (10 - wrong)), rng.uniform(-away, away, 3))
    return optimizer


def surrounded(seed):
    """A history in which the neighbours of the best point are evaluated, so that EI is larger elsewhere."""
    rng = np.random.default_rng(seed)
    optimizer = Optimizer(PROBLEM.space, seed=seed, config=PAPER)
    for ones, away in [(5, 1.0)] * 20 + [(2, 0.5)] * 20:
        tell(optimizer, rng.permutation([1] * ones + [0] * (10 - ones)), rng.uniform(-away, away, 3))
    best = np.array([0.01, -0.01, 0.01])
    for away in (0.02, 0.06, 0.2):
        for step in (*np.eye(3), *-np.eye(3)):
            tell(optimizer, np.zeros(10), best + away * step)
    for bits in np.eye(10):
        tell(optimizer, bits, best)
        tell(optimizer, bits, rng.uniform(-0.1, 0.1, 3))
    tell(optimizer, np.zeros(10), best)
    return optimizer


def refining(seed):
    """A history with many points near the best one and with its choices, so that EI has a narrow maximum beside it."""
    rng = np.random.default_rng(seed)
    optimizer = Optimizer(PROBLEM.space, seed=seed, config=PAPER)
    for ones, away in [(5, 1.0)] * 20 + [(1, 0.3)] * 10 + [(0, 0.5)] * 20 + [(0, 0.1)] * 20 + [(0, 0.03)] * 10:
        tell(optimizer, rng.permutation([1] * ones + [0] * (10 - ones)), rng.uniform(-away, away, 3))
    return optimizer


@pytest.fixture
def suggested(monkeypatch):
    """Return a function: log EI at the point that an optimiser suggests, log EI as a function, and the region."""
    kept = []
    search = algorithm.interleaved_search
    monkeypatch.setattr(algorithm, "interleaved_search", lambda score, *how: kept.append((score, how)) or search(score, *how))

    def ask(optimizer):
        chosen = optimizer.space.encode([optimizer.ask().configuration])
        score, (_, around, *_) = kept[0]
        exact = replace(score, rule=rule_for(replace(PAPER, acquisition="log-ei"), score.rule.keywords["best"], 0.0))
        return exact(chosen)[0], exact, around

    return ask


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("late", [closing_in, surrounded, refining])
def test_the_suggested_point_has_no_less_expected_improvement_than_2000_random_points_of_the_region(late, seed, suggested):
    reached, exact, around = suggested(late(seed))
    assert reached >= exact(around.draw(2000, np.random.default_rng(0))).max()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("late", [closing_in, surrounded, refining])
def test_it_has_no_less_than_2000_points_beside_the_best_one(late, seed, suggested):
    """Random points of the region hardly ever meet a maximum that is this narrow."""
    reached, exact, around = suggested(late(seed))
    away = np.random.default_rng(0).uniform(-0.02, 0.02, (2000, 3)) * (around.high - around.low)
    x = np.clip(around.centre.x + away, around.low, around.high)
    assert reached >= exact(Points(np.repeat(around.centre.h, 2000, axis=0), x)).max() - np.log(2)
