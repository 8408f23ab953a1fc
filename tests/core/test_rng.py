import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from casmopolitan.core.rng import Purpose, stream
from strategies import seeds


@given(seeds(), st.integers(0, 10**6), st.sampled_from(Purpose))
def test_equal_addresses_draw_equal_numbers(seed, number, purpose):
    assert np.array_equal(stream(seed, number, purpose).random(4), stream(seed, number, purpose).random(4))


def test_different_addresses_draw_different_numbers():
    addresses = [(seed, number, purpose) for seed in range(4) for number in range(20) for purpose in Purpose]
    first = {stream(*address).random() for address in addresses}
    assert len(first) == len(addresses)


def test_drawing_from_one_stream_leaves_another_untouched():
    kept = stream(0, 1, Purpose.SEARCH)
    stream(0, 1, Purpose.SEARCH).random(100)
    assert kept.random() == stream(0, 1, Purpose.SEARCH).random()


def test_the_numbers_of_the_purposes_never_change():
    known = {"INITIAL": 0, "FIT": 1, "SEARCH": 2, "RESTART": 3, "FALLBACK": 4, "THOMPSON": 5}
    assert known.items() <= {purpose.name: int(purpose) for purpose in Purpose}.items()
