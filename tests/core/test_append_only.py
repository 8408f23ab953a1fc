import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casmopolitan.core.append_only import AppendOnly


@given(st.lists(st.integers(0, 10**9), max_size=30), st.data())
def test_it_is_the_tuple_of_its_items_however_it_branches(values, data):
    made, expected = [AppendOnly()], [()]
    for value in values:
        at = data.draw(st.integers(0, len(made) - 1))
        made.append(made[at].plus(value))
        expected.append((*expected[at], value))
    for mine, items in zip(made, expected, strict=True):
        assert tuple(mine) == items
        assert len(mine) == len(items)
        assert [mine[i] for i in range(-len(items), len(items))] == [*items, *items]
        assert list(mine[-3:]) == list(items[-3:])
        assert mine == items
        assert tuple(pickle.loads(pickle.dumps(mine))) == tuple(copy.deepcopy(mine)) == items


def test_no_item_beyond_its_own_can_be_reached():
    short = AppendOnly([1])
    assert list(short.plus(2)) == [1, 2]
    for at in (1, -2):
        with pytest.raises(IndexError):
            short[at]
    assert list(short) == [1]


def test_extending_copies_nothing():
    first = AppendOnly(range(1000))
    assert first.plus(0)._items is first._items
    assert first.plus(1)._items is not first._items
