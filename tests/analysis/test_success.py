"""The chance of success."""

from __future__ import annotations

import casmopolitan as cas
from casmopolitan.analysis.success import chances_of

SPACE = cas.Space({"kind": cas.Categorical(["good", "bad"]), "n": cas.Integer(1, 9)})


def test_nothing_is_known_without_failures_and_limits():
    optimizer = cas.Optimizer(SPACE, seed=0)
    optimizer.tell({"kind": "good", "n": 1}, 1.0)
    assert chances_of(optimizer) is None


def test_failures_and_limits_lower_the_chance():
    optimizer = cas.Optimizer(SPACE, seed=0, limits={"cost": "<= 5"})
    for n in range(1, 10):
        optimizer.tell({"kind": "good", "n": n}, {"value": float(n), "cost": float(n)})
    for n in range(1, 6):
        optimizer.tell({"kind": "bad", "n": n}, cas.FAILED)
    chances = chances_of(optimizer)
    cheap, dear, bad = chances([{"kind": "good", "n": 2}, {"kind": "good", "n": 9}, {"kind": "bad", "n": 2}])
    assert cheap > 0.8
    assert dear < 0.2
    assert bad < 0.3
