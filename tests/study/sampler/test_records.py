import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casmopolitan.study.sampler import records

RECORDS = st.dictionaries(st.text(max_size=5), st.text(max_size=4000), max_size=3)


def stored(record, writing=0):
    """The attributes as a database gives them back."""
    chunks = records.chunks(record, writing)
    return {f"{records.PREFIX}{i}": json.loads(json.dumps(chunk)) for i, chunk in enumerate(chunks)}


@given(RECORDS)
def test_a_record_comes_back_from_chunks_that_every_database_takes(record):
    kept = stored(record)
    assert records.read(kept) == record
    assert all(len(json.dumps(chunk)) <= records.LONGEST for chunk in kept.values())


def test_a_torn_record_is_none():
    kept = stored({"text": "x" * 9000})
    assert len(kept) > 3
    for key in kept:
        assert records.read({k: v for k, v in kept.items() if k != key}) is None


def test_chunks_of_two_writings_are_no_record():
    old, new = stored({"text": "x" * 5000}, 0), stored({"text": "y" * 5000}, 1)
    first = f"{records.PREFIX}0"
    assert records.read(old | {first: new[first]}) is None
    assert records.read(old | new) == {"text": "y" * 5000}


def test_a_shorter_later_writing_replaces_a_longer_one():
    assert records.read(stored({"text": "x" * 9000}, 0) | stored({"text": "y"}, 1)) == {"text": "y"}


@pytest.mark.parametrize(
    "value",
    [
        None,
        "text",
        [],
        [0, 1],
        [0, 10**9, "{}"],
        [0, -1, "{}"],
        [0, "1", "{}"],
        [0, 1, 5],
        [0, 1, "[1, 2]"],
        [0, 1, "{"],
        [0, 1, "[" * 100_000],
        {"a": 1},
    ],
)
def test_anything_else_is_no_record(value):
    assert records.read({f"{records.PREFIX}0": value}) is None
    assert records.read({}) is None
