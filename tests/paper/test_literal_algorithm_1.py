"""Algorithm 1 as it is printed, lines 1 to 14 in order; the optimiser with `PAPER` suggests the same points.

The paper maximises and this minimises. One iteration is one evaluation, so the #init points of line 6 take #init iterations.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from casmopolitan import PAPER, Categorical, Optimizer, Real, Space
from casmopolitan.blas import one_thread
from casmopolitan.core.acquisition.acquisition import Score
from casmopolitan.core.acquisition.expected_improvement import expected_improvement
from casmopolitan.core.gp.model import fit_model
from casmopolitan.core.points import stack
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.region.trust_region import exhausted, initial, updated
from casmopolitan.core.restart import Finished, next_centre
from casmopolitan.core.rng import Purpose, stream
from casmopolitan.core.search.eligibility import Eligibility
from casmopolitan.core.search.interleaved import interleaved_search, starts_of_walks
from casmopolitan.core.search.random_point import random_point_of_region, random_point_of_space


def casmopolitan(f, domain, config, seed, T):
    """Lines 1 and 2: #init, L_0^h and L_0^x are in the config. Return all evaluated points and values, one list per region."""
    regions, restart = [], True  # line 3
    for t in range(T):  # line 4
        new = Eligibility(domain, frozenset(z.identities()[0] for region in regions for z, _ in region))
        if restart:  # line 5
            L, theta, centre, due = initial(domain, config), None, None, config.n_initial  # line 6: reset L and the model
            if regions:  # Eq. (3)
                ended = [Finished(stack([z for z, _ in region]), np.array([y for _, y in region])) for region in regions]
                centre = next_centre(domain, config, ended, new, stream(seed, t, Purpose.RESTART))
            around = None if centre is None else Neighbourhood.around(domain, centre, L, np.ones(domain.d_x))
            regions, restart, searched = [*regions, []], False, False
            D = regions[-1]
        if not D and centre is not None:  # line 6: the centre,
            z = centre
        elif due:  # and #init points, of the space or around the centre
            rng, due = stream(seed, t, Purpose.INITIAL), due - 1
            z = random_point_of_space(new, rng) if around is None else random_point_of_region(around, new, rng)
        else:  # line 7
            points, y = stack([z for z, _ in D]), np.array([y for _, y in D])
            sample = y[: config.n_initial + (centre is not None)]
            gp = fit_model(domain, config, points, y, sample, theta, stream(seed, t, Purpose.FIT))  # line 12, of the last point
            theta, best = np.array(gp.recorded()), points[int(np.argmin(y))]
            TR = Neighbourhood.around(domain, best, L, gp.lengthscales())  # lines 8 and 9
            alpha = Score(gp.posterior, partial(expected_improvement, best=gp.posterior.y.min()))
            rng, steps = stream(seed, t, Purpose.SEARCH), (config.search_steps, config.search_rate)
            starts = starts_of_walks(alpha, TR, new, config, rng)
            z, searched = interleaved_search(alpha, starts, TR, new, *steps, rng).point, True  # lines 10 and 11
        y_new = f(z)  # line 12
        if searched:  # line 13
            L, change = updated(L, y_new < y.min(), config, d_h=domain.d_h)
            restart = change == "shrank" and exhausted(L, config)
        D.append((z, y_new))
    return regions  # line 14


CATEGORICAL = Space({f"c{i}": Categorical(list("abcd")) for i in range(7)})
MIXED = Space({f"c{i}": Categorical(list("abc")) for i in range(5)} | {"x": Real(0, 1), "y": Real(0, 1)})


def objective(configuration):
    """The choices interact; the numbers have a smooth minimum."""
    codes = ["abcd".index(value) for value in configuration.values() if isinstance(value, str)]
    numbers = [value for value in configuration.values() if isinstance(value, float)]
    rugged = sum((3 * a + 2 * b) % 5 for a, b in pairwise(codes))
    return float(rugged + sum((value - 0.3) ** 2 for value in numbers))


@pytest.mark.parametrize(("space", "T"), [(CATEGORICAL, 75), (MIXED, 75)], ids=["categorical", "mixed"])
def test_the_optimiser_suggests_point_for_point_what_algorithm_1_says(space, T):
    """The tolerance and #init are small, so that the run passes through restarts; fit and search are short, to save time."""
    config = replace(PAPER, n_initial=5, failure_tolerance=3, fit_steps=8, fit_starts=1, search_steps=30)
    optimizer = Optimizer(space, seed=3, config=config)
    for _ in range(T):
        trial = optimizer.ask()
        optimizer.tell(trial, objective(trial.configuration))
    with one_thread():  # as the optimiser does: the last bits depend on the number of threads
        regions = casmopolitan(lambda z: objective(space.decode(z)[0]), space.domain, config, 3, T)
    points = [space.decode(z)[0] for region in regions for z, _ in region]
    assert [trial.configuration for trial in optimizer.trials] == points
    assert [trial.explanation["region"] for trial in optimizer.trials] == [i for i, D in enumerate(regions) for _ in D]
    assert len(regions) >= 3
    assert optimizer.best_value == min(y for region in regions for _, y in region)


def test_it_does_so_with_the_papers_settings_too():
    optimizer = Optimizer(MIXED, seed=0, config=PAPER)
    for _ in range(26):
        trial = optimizer.ask()
        optimizer.tell(trial, objective(trial.configuration))
    with one_thread():
        (region,) = casmopolitan(lambda z: objective(MIXED.decode(z)[0]), MIXED.domain, PAPER, 0, 26)
    assert [trial.configuration for trial in optimizer.trials] == [MIXED.decode(z)[0] for z, _ in region]
