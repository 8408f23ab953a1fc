import pytest

from casmopolitan.errors import SpaceError
from casmopolitan.space import Categorical, Forbid, Integer, Real, Space
from casmopolitan.space.constraint import gathered, holds, predicate_name
from casmopolitan.space.linear import Linear

VARIABLES = {"a": Categorical(["x", "y"]), "b": Integer(1, 3), "c": Real(0, 1), "d": Real(0, 1, step=0.1)}


def test_a_clause_applies_when_all_of_its_values_meet():
    clause = Forbid({"a": "x", "b": [1, 2]})
    assert clause.applies({"a": "x", "b": 2})
    assert not clause.applies({"a": "x", "b": 3})
    assert not clause.applies({"a": "y", "b": 2})


def test_a_clause_tells_values_apart_by_type():
    assert not Forbid({"a": 1}).applies({"a": True})


def test_clauses_are_equal_when_they_forbid_the_same():
    assert Forbid({"a": "x", "b": [1, 2]}) == Forbid({"b": (2, 1), "a": ["x"]})
    assert hash(Forbid({"b": [1, 2]})) == hash(Forbid({"b": {2, 1}}))
    assert Forbid({"b": 1}) != Forbid({"b": True})


def test_a_clause_reads_like_its_declaration():
    assert repr(Forbid({"a": "x", "b": [1, 2]})) == "Forbid({'a': 'x', 'b': [1, 2]})"


@pytest.mark.parametrize(
    ("clause", "words"),
    [
        (Forbid({}), "names no variable"),
        (Forbid("a"), "names no variable"),
        (Forbid({"A": "x"}), "which is not a variable of the space. Did you mean 'a'?"),
        (Forbid({"a": "z"}), "Categorical 'a' got 'z'; its choices are 'x', 'y'"),
        (Forbid({"b": [1, 9]}), "Integer 'b' got 9"),
        (Forbid({"a": [["x"]]}), "got ['x']"),
        (Forbid({"a": []}), "lists no value for 'a'"),
        (Forbid({"c": 0.5}), "which has infinitely many values. Forbid a range such as"),
        (Forbid({"a": ["x", "y"]}), "forbids every configuration"),
    ],
)
def test_bad_clauses_are_named_with_the_way_out(clause, words):
    (problem,) = clause.problems(VARIABLES)
    assert words in problem


def test_a_clause_is_read_in_the_spaces_own_words():
    assert Forbid({"d": 0.1 * 3}).read(VARIABLES) == Forbid({"d": 0.3})


def test_a_clause_with_a_constant_keeps_what_can_still_happen():
    clause = Forbid({"a": ["x", "y"], "b": 1})
    assert clause.fixed({"a": "x"}) == Forbid({"a": "x", "b": 1})
    assert clause.fixed({"b": 2}) is None


def test_one_and_true_are_different_constants():
    clause = Forbid({"a": True, "b": 1})
    assert clause.fixed({"a": 1}) is None
    assert clause.fixed({"a": True}) == clause


def test_rules_are_sorted_into_clauses_linear_rules_predicates_and_mistakes():
    def odd(configuration):
        return configuration["b"] % 2 == 1

    clause = Forbid({"a": "x"})
    assert gathered(None) == ([], [], [], [])
    assert gathered(odd) == ([], [], [odd], [])
    assert gathered([clause, "a <= b", odd]) == ([clause], [Linear("a <= b")], [odd], [])
    _, _, _, problems = gathered([3, {"a": "x"}])
    assert len(problems) == 2
    assert "Did you mean Forbid({'a': 'x'})?" in problems[1]
    assert len(gathered({"a": "x"})[3]) == len(gathered(3)[3]) == 1


def test_a_predicate_that_says_nothing_is_an_error():
    def forgetful(configuration):
        configuration["b"] > 1  # noqa: B015

    with pytest.raises(SpaceError, match=r"forgetful returned None; it must return True or False"):
        holds(forgetful, {"b": 1})


def test_a_predicate_cannot_change_the_configuration():
    configuration = {"b": 1}

    def careless(c):
        c["b"] = 2
        return True

    assert holds(careless, configuration)
    assert configuration == {"b": 1}


def test_a_predicate_without_a_name_is_called_by_its_type():
    class Rule:
        def __call__(self, configuration):
            return False

    assert predicate_name(Rule()) == "Rule"
    space = Space({"b": Integer(1, 3)}, constraint=Rule())
    with pytest.raises(SpaceError, match=r"breaks the constraint Rule"):
        space.validate({"b": 1})
