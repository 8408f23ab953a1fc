import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from casmopolitan.core.candidates import Candidates, distinct
from casmopolitan.core.points import Points, stack


def points(seed, n, levels=3, d_h=4, d_x=2):
    rng = np.random.default_rng(seed)
    return Points(rng.integers(levels, size=(n, d_h)), rng.integers(levels, size=(n, d_x)) / levels)


@given(st.integers(0, 1000), st.integers(1, 60), st.integers(0, 3), st.integers(0, 2))
def test_rows_are_found_and_other_points_are_not(seed, n, d_h, d_x):
    every = points(seed, n, d_h=d_h, d_x=d_x)
    kept = distinct(every)
    assert len({*every[kept].identities()}) == len(kept) == len({*every.identities()})
    assert kept.tolist() == sorted(kept.tolist())
    candidates = Candidates(every[kept])
    asked = stack([every, points(seed + 1, 20, levels=4, d_h=d_h, d_x=d_x)])
    place = {identity: row for row, identity in enumerate(candidates.points.identities())}
    assert candidates.rows(asked).tolist() == [place.get(identity, -1) for identity in asked.identities()]


def test_minus_nought_is_nought():
    candidates = Candidates(Points(np.empty((1, 0), dtype=np.int64), np.array([[0.0]])))
    assert candidates.contains(Points(np.empty((1, 0), dtype=np.int64), np.array([[-0.0]])))[0]
