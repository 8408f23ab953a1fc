import numpy as np
from hypothesis import given

from strategies import domains, seeds, spaces


@given(spaces(), seeds())
def test_every_space_of_the_strategy_can_be_sampled(space, seed):
    assert len(space.sample(3, seed)) == 3


@given(domains(), seeds())
def test_every_domain_of_the_strategy_can_be_drawn_from(domain, seed):
    points = domain.draw(4, np.random.default_rng(seed))
    assert points.h.shape == (4, domain.d_h)
    assert points.x.shape == (4, domain.d_x)
