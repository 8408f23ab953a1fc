from __future__ import annotations

import numpy as np

import casmopolitan.core.search.thompson as module
from casmopolitan.core.algorithm import local_model
from casmopolitan.core.ask import Ask
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.search.eligibility import Eligibility
from casmopolitan.core.search.thompson import thompson_search
from runs import MIXED, QUICK, SMALL, run


def searched(domain, eligibility=None):
    state, _ = run(domain, QUICK, 0, 6)
    this = Ask(domain, QUICK, 0, state, 6)
    model = local_model(this)
    around = Neighbourhood.around(domain, state.regions[0].best.point, state.lengths, model.lengthscales())
    chosen = eligibility or this.eligibility
    found = thompson_search(model.posterior, around, chosen, np.random.default_rng(0), np.random.default_rng(1))
    return found, around, this.eligibility


def test_the_point_lies_in_the_region_and_is_eligible():
    found, around, eligibility = searched(MIXED)
    assert around.contains(found.point)[0]
    assert eligibility.admits(found.point)[0]


def test_the_best_of_the_draw_is_taken(monkeypatch):
    drawn = []
    plain = module.thompson
    monkeypatch.setattr(module, "thompson", lambda *a: drawn.append((a[1], plain(*a))) or drawn[-1][1])
    found, _, _ = searched(MIXED)
    points, values = drawn[0]
    assert found.value == values.max()
    assert found.point == points[int(np.argmax(values))]


def test_nothing_is_found_if_every_point_is_taken():
    taken = Eligibility(SMALL, frozenset(SMALL.every_point().identities()))
    assert searched(SMALL, taken)[0] is None
