from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from casmopolitan.core.algorithm import ask
from casmopolitan.core.ask import Ask, Extension
from casmopolitan.core.points import stack
from casmopolitan.core.state import Prediction, Provenance
from runs import MIXED, QUICK, SMALL, run


def made(*kinds):
    state, _ = run(SMALL, QUICK, 0, 4)
    return Ask(SMALL, QUICK, 0, state, 4, kinds)


@dataclass(frozen=True, eq=False)
class Last(Extension):
    """The design is the last point of all, the last point is preferred, the first one is a last resort and alone attainable."""

    def initial_point(self, eligibility, used):
        return eligibility.domain.every_point()[-1]

    def design_draws(self):
        return 3

    def choose(self, points, prediction):
        return points[-1], replace(prediction, success=0.25)

    def last_resort(self, points):
        return np.arange(len(points)) == 0

    def attainable(self, points):
        return np.arange(len(points)) == 0


def test_without_extensions_and_with_one_that_does_nothing_every_point_is_left_as_it_is():
    points, areas, score = SMALL.every_point()[:3], (), object()
    for this in (made(), made(Extension), made(Extension, Extension)):
        assert this.initial_point(this.eligibility, this.used) == made().initial_point(this.eligibility, points)
        assert this.design_draws() == 1
        assert this.choose(points, Prediction(mean=2.0))[0] == points[0]
        assert not this.last_resort(points).any()
        assert this.centre(points[1]) == points[1]
        assert this.areas(areas, provenance := Provenance(0, "acquisition")) == (areas, provenance)
        assert this.attainable(points).all()
        assert this.weigh(score) is score


def test_an_extension_that_does_nothing_changes_no_suggestion():
    state, _ = run(MIXED, QUICK, 0, 8)
    again = ask(MIXED, QUICK, 0, state, 8, (Extension,))
    plain = ask(MIXED, QUICK, 0, state, 8)
    assert again.point == plain.point
    assert vars(again.prediction) == vars(plain.prediction)


def test_extensions_act_one_after_the_other_and_are_made_once_an_ask():
    points, this = SMALL.every_point()[:3], made(Extension, Last, Extension)
    assert this.extensions is this.extensions
    assert this.initial_point(this.eligibility, this.used) == SMALL.every_point()[-1]
    assert this.design_draws() == 3
    point, prediction = this.choose(points, Prediction(mean=2.0))
    assert (point, prediction.mean, prediction.success) == (points[2], 2.0, 0.25)
    assert this.last_resort(points).tolist() == this.attainable(points).tolist() == [True, False, False]


def test_points_so_far_are_those_of_completed_pending_and_failed_trials():
    state, suggestions = run(SMALL, QUICK, 0, 3)
    pending = ask(SMALL, QUICK, 0, state, 3)
    state = replace(state, pending={3: pending}, failures=(SMALL.every_point()[0],))
    used = Ask(SMALL, QUICK, 0, state, 4).used
    assert used == stack([*(s.point for s in suggestions), pending.point, SMALL.every_point()[0]])
