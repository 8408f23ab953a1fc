import pytest

import casmopolitan as cas
from casmopolitan.space.interval import Interval, is_numeric, numbers_of

SPACE = {
    "solvent": cas.Categorical(["water", "DMF"]),
    "temperature": cas.Real(20, 150),
    "equivalents": cas.Ordinal([1, 1.5, 2, 4]),
    "hours": cas.Integer(1, 48),
}


def test_both_ends_are_included():
    interval = Interval.of({"from": 80, "to": 120})
    assert [value in interval for value in (79.9, 80, 100, 120, 120.1, "100", None, True)] == [
        False, True, True, True, False, False, False, False,
    ]  # fmt: skip
    assert 1e9 in Interval.of({"from": 80})
    assert -1e9 in Interval.of({"to": 80})


@pytest.mark.parametrize(
    ("clause", "words"),
    [
        ({"temperature": {}}, "a range has no end. Give 'from', 'to' or both"),
        ({"temperature": {"form": 80}}, "a range has 'form'. Did you mean 'from'?"),
        ({"temperature": {"from": "80"}}, "a range has from '80'; both ends are finite numbers"),
        ({"temperature": {"from": 120, "to": 80}}, "the range from 120 to 80 is empty; the smaller number is 'from'"),
        ({"solvent": {"from": 80}}, "has choices that are not numbers, so it has no ranges; list the values"),
        ({"temperature": {"from": 0}}, "forbids every configuration"),
        ({"equivalents": {"to": 4}, "hours": {"from": 1}}, "forbids every configuration"),
        ({"temperature": [80, 90]}, "infinitely many values. Forbid a range such as {'from': 80, 'to': 120}"),
    ],
)
def test_a_range_that_cannot_be_used_is_refused_with_the_reason(clause, words):
    with pytest.raises(cas.SpaceError) as caught:
        cas.Space(SPACE, constraint=cas.Forbid(clause))
    assert words in str(caught.value)


def test_ranges_of_every_kind_of_number_are_forbidden():
    clause = cas.Forbid(
        {"solvent": "water", "temperature": {"from": 100}, "equivalents": {"to": 1.5}, "hours": {"from": 5, "to": 9}}
    )
    space = cas.Space(SPACE, constraint=clause)
    forbidden = {"solvent": "water", "temperature": 100.0, "equivalents": 1.5, "hours": 9}
    assert not space.allows(forbidden)
    for change in ({"solvent": "DMF"}, {"temperature": 99.9}, {"equivalents": 2}, {"hours": 10}):
        assert space.allows(forbidden | change)
    assert "change 'solvent', 'temperature', 'equivalents', 'hours'" in space.problems(forbidden)[0]


def test_a_space_with_ranges_and_rules_comes_back_from_json():
    space = cas.Space(
        SPACE, constraint=[cas.Forbid({"temperature": {"from": 100, "to": 110}}), "temperature + 2 * hours <= 200"]
    )
    assert cas.Space.from_dict(space.to_dict()) == space
    assert repr(cas.Forbid({"temperature": {"from": 100}})) == "Forbid({'temperature': {'from': 100}})"


def test_fixing_a_variable_keeps_a_range_only_if_the_value_lies_in_it():
    space = cas.Space(SPACE, constraint=cas.Forbid({"solvent": "water", "temperature": {"from": 100}}))
    assert space.fix(temperature=50.0).constraint == ()
    assert not space.fix(temperature=120.0).allows({"solvent": "water", "temperature": 120.0, "equivalents": 1, "hours": 1})


def test_the_numbers_of_a_variable_are_its_values():
    assert numbers_of(SPACE["equivalents"]).tolist() == [1.0, 1.5, 2.0, 4.0]
    assert is_numeric(cas.Categorical([1, 2.5]))
    assert not is_numeric(cas.Categorical([1, "2"]))
