import json

import pytest
from hypothesis import given

from casmopolitan.errors import SpaceError
from casmopolitan.space import Categorical, Forbid, Integer, Ordinal, Real, Space
from strategies import spaces


def small(configuration):
    return configuration["n"] < 5


@given(spaces(clauses=2))
def test_a_space_survives_json(space):
    assert Space.from_dict(json.loads(json.dumps(space.to_dict()))) == space


def test_the_record_lists_the_variables_in_order():
    space = Space(
        {"b": Categorical(["x", 1, None]), "a": Ordinal([1, 2], log=True), "n": Integer(1, 9), "r": Real(0, 1, step=0.5)},
        constraint=Forbid({"b": ["x", 1], "a": 2}),
    )
    assert space.to_dict() == {
        "variables": [
            {"name": "b", "type": "categorical", "choices": ["x", 1, None]},
            {"name": "a", "type": "ordinal", "values": [1, 2], "log": True},
            {"name": "n", "type": "integer", "low": 1, "high": 9, "step": 1, "log": False},
            {"name": "r", "type": "real", "low": 0.0, "high": 1.0, "step": 0.5, "log": False},
        ],
        "forbid": [{"b": ["x", 1], "a": [2]}],
        "predicates": 0,
    }


def test_fields_with_a_default_may_be_left_out_of_a_record():
    record = {"variables": [{"name": "n", "type": "integer", "low": 1, "high": 9}]}
    assert Space.from_dict(record) == Space({"n": Integer(1, 9)})


def test_a_predicate_must_be_passed_again():
    space = Space({"n": Integer(1, 9)}, constraint=[small, Forbid({"n": 2})])
    record = json.loads(json.dumps(space.to_dict()))
    assert record["predicates"] == 1
    with pytest.raises(SpaceError, match=r"1 predicate.*, which JSON cannot hold, but the call has 0; pass the same"):
        Space.from_dict(record)
    assert Space.from_dict(record, constraint=small) == space
    assert Space.from_dict(record, constraint=space.constraint) == space


def test_a_predicate_that_the_record_does_not_know_is_refused():
    with pytest.raises(SpaceError, match=r"0 predicate.* but the call has 1"):
        Space.from_dict(Space({"n": Integer(1, 9)}).to_dict(), constraint=small)


@pytest.mark.parametrize("record", [None, [], {}, {"variables": "abc"}, {"variables": 3}])
def test_what_is_no_record_is_refused(record):
    with pytest.raises(SpaceError, match=r"as Space.to_dict writes it"):
        Space.from_dict(record)


def test_every_bad_entry_of_a_record_is_named_at_once():
    record = {
        "variables": [
            3,
            {"type": "real", "low": 0, "high": 1},
            {"name": "a", "type": "categoricl", "choices": [1]},
            {"name": "b", "type": "integer", "lo": 1, "high": 3},
            {"name": "c", "type": ["real"]},
        ]
    }
    with pytest.raises(SpaceError) as caught:
        Space.from_dict(record)
    text = str(caught.value)
    assert len(caught.value.problems) == 6
    assert "variable 1 has no name" in text
    assert "Did you mean 'categorical'?" in text
    assert "variable 'b' has no 'low'; integer needs it" in text
    assert "unknown field 'lo'; drop it. Did you mean 'low'?" in text


def test_a_records_clauses_are_a_list():
    with pytest.raises(SpaceError, match=r"'forbid' is a list of clauses"):
        Space.from_dict({"variables": [{"name": "n", "type": "integer", "low": 1, "high": 9}], "forbid": {"n": 1}})


def test_a_record_with_a_name_used_twice_is_refused():
    entry = {"name": "n", "type": "integer", "low": 1, "high": 9}
    with pytest.raises(SpaceError, match=r"the name 'n' is used twice"):
        Space.from_dict({"variables": [entry, entry]})
