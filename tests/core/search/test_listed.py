from dataclasses import replace

import numpy as np
import pytest

import casmopolitan as cas
from casmopolitan.core.algorithm import Ask, acquisition_function, local_model
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.search import listed
from casmopolitan.core.search.listed import listed_search


@pytest.fixture(scope="module")
def this():
    """A list of 3,000 candidates, 12 of them told."""
    rng = np.random.default_rng(0)
    rows = {f"c{j}": [f"v{k}" for k in rng.integers(5, size=3000)] for j in range(8)} | {"x": rng.random(3000).tolist()}
    space = cas.Space.of(rows)
    optimizer = cas.Optimizer(space, seed=0, config=replace(cas.DEFAULT, n_initial=12))
    for trial in optimizer.ask(12):
        optimizer.tell(trial, sum(v == "v0" for v in trial.configuration.values()) + (trial.configuration["x"] - 0.3) ** 2)
    return Ask(space.domain, optimizer.config, 0, optimizer.state, 12)


def searched(this, area):
    score = acquisition_function(this, local_model(this).posterior)
    return score, listed_search(score, area, this.eligibility, this.domain.candidates, np.random.default_rng(0))


def test_a_short_list_is_scored_whole(this):
    area = Neighbourhood.everywhere(this.domain, this.state.observations[0].point)
    score, found = searched(this, area)
    fresh = this.eligibility.fresh(this.domain.candidates.points)
    assert found.value == pytest.approx(score(this.domain.candidates.points)[fresh].max())
    assert this.domain.candidates.contains(found.point)[0]


def test_an_area_is_respected(this):
    centre = this.state.observations[0].point
    area = replace(Neighbourhood.everywhere(this.domain, centre), radius=5)
    _, found = searched(this, area)
    assert (found.point.h != centre.h).sum() <= 5
    nowhere = replace(area, radius=0, low=area.high)
    assert searched(this, nowhere)[1] is None


def test_of_a_long_list_the_neighbours_of_the_best_are_scored_too(this, monkeypatch):
    area = Neighbourhood.everywhere(this.domain, this.state.observations[0].point)
    score, best = searched(this, area)
    monkeypatch.setattr(listed, "WORK", 0)  # a random third of the list
    values = np.sort(score(this.domain.candidates.points))
    _, found = searched(this, area)
    assert found.value >= values[-10]
    assert best.value >= found.value
