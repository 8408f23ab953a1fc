import math

import numpy as np
import pytest
from hypothesis import given

from casmopolitan.errors import MisfitError
from casmopolitan.scalars import key
from casmopolitan.space import Categorical, Ordinal
from strategies import categoricals, ordinals

FIVE = [1, True, 1.0, "1", None]


@given(categoricals() | ordinals())
def test_every_value_is_found_again_by_its_number(variable):
    assert variable.problems() == []
    values = [variable.at(k) for k in range(variable.count)]
    assert variable.indices(values) == list(range(variable.count))
    assert [key(variable.read(value)) for value in values] == [key(value) for value in values]


def test_choices_are_told_apart_by_type_and_value():
    variable = Categorical(FIVE)
    assert variable.problems() == []
    assert [variable.index(value) for value in FIVE] == [0, 1, 2, 3, 4]
    assert [key(variable.at(k)) for k in range(5)] == [key(value) for value in FIVE]


def test_variables_that_differ_only_by_a_choices_type_are_different():
    assert Categorical([1]) != Categorical([True])
    assert Categorical([1]) != Categorical([1.0])
    assert Categorical([1, 2]) == Categorical((1, 2))
    assert hash(Categorical([1, 2])) == hash(Categorical((1, 2)))
    assert Categorical([1, 2]) != Ordinal([1, 2])
    assert Ordinal([1, 2]) != Ordinal([1, 2], log=True)


def test_a_variable_is_frozen():
    with pytest.raises(AttributeError):
        Categorical(["a"]).choices = ["b"]


def test_numpy_choices_become_native():
    assert Categorical(np.array([1, 2])) == Categorical([1, 2])
    assert type(Categorical(np.array([0.5])).at(0)) is float


def test_a_numpy_value_finds_its_native_choice():
    assert Categorical([1, 2]).indices([np.int64(2), 1]) == [1, 0]


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ([], "has no choices"),
        ("abc", "give a list, e.g. ['abc']"),
        ({"a", "b"}, "give a list"),
        (7, "give a list"),
        (["a", "b", "a"], "has the choice 'a' 2 times"),
        ([(1, 2)], "Give it a name"),
        ([math.nan], "must be finite"),
        ([-math.inf], "must be finite"),
    ],
)
def test_bad_choices_are_named_with_the_law_and_the_way_out(choices, words):
    (problem,) = Categorical(choices).problems()
    assert words in problem


def test_all_problems_of_a_variable_are_found_at_once():
    assert len(Categorical(["a", "a", math.nan, [1]]).problems()) == 3


def test_a_value_that_is_no_choice_is_refused_with_a_suggestion():
    with pytest.raises(MisfitError, match=r"got 'adma'; its choices are 'sgd', 'adam'. Did you mean 'adam'?"):
        Categorical(["sgd", "adam"]).index("adma")
    with pytest.raises(MisfitError, match=r"got 64.0; its values are 32, 64. Did you mean 64\?"):
        Ordinal([32, 64]).index(64.0)


def test_an_unhashable_value_is_refused_like_any_other():
    with pytest.raises(MisfitError, match=r"got \[1\]"):
        Categorical([1]).indices([[1]])


def test_an_ordinal_with_bad_values_says_so_like_a_categorical():
    (problem,) = Ordinal([]).problems()
    assert problem == "has no values; give at least one"


def test_ordinal_numbers_must_increase_and_the_way_out_is_said():
    (problem,) = Ordinal([4, 1, 2]).problems()
    assert "Did you mean 1, 2, 4?" in problem
    assert "labels" in problem
    assert Ordinal([1, 1.0]).problems()


def test_ordinal_labels_keep_the_order_they_are_given_in():
    variable = Ordinal(["low", "medium", "high"])
    assert variable.problems() == []
    assert not variable.numeric
    assert [variable.at(k) for k in range(3)] == ["low", "medium", "high"]


@pytest.mark.parametrize(
    ("variable", "words"),
    [
        (Ordinal([0, 1], log=True), "needs numbers above 0"),
        (Ordinal(["a", "b"], log=True), "Drop log"),
        (Ordinal([1, 2], log="yes"), "must be True or False"),
        (Ordinal([-1e308, 1e308]), "too far apart"),
        (Ordinal([1, 10**400]), "too far apart"),
    ],
)
def test_bad_ordinals_are_named(variable, words):
    (problem,) = variable.problems()
    assert words in problem


def test_a_repr_reads_like_the_declaration_and_stays_short():
    assert repr(Categorical(["a", 1, None])) == "Categorical(['a', 1, None])"
    assert repr(Ordinal([1, 10], log=True)) == "Ordinal([1, 10], log=True)"
    assert len(repr(Categorical(range(10**5)))) < 200
