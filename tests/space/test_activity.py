import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casmopolitan import Categorical, Forbid, Integer, Ordinal, Real, Space, SpaceError
from strategies import conditional_spaces, configurations

MODELS = Space(
    {
        "degree": Integer(2, 5, when={"kernel": "poly"}),
        "model": Categorical(["svm", "forest"]),
        "kernel": Categorical(["rbf", "poly"], when={"model": "svm"}),
        "C": Real(0.001, 1000.0, log=True, when={"model": "svm"}),
        "trees": Integer(10, 500, when={"model": "forest"}),
        "tol": Real(0.1, 0.1, when={"kernel": "rbf"}),
        "scale": Categorical([True, False]),
    }
)


def test_all_problems_of_conditions_are_listed_at_once():
    with pytest.raises(SpaceError) as raised:
        Space(
            {
                "model": Categorical(["svm", "forest"]),
                "size": Real(0.0, 1.0),
                "many": Integer(1, 100),
                "a": Real(0.0, 1.0, when={"modle": "svm"}),
                "b": Real(0.0, 1.0, when={"model": "svn"}),
                "c": Real(0.0, 1.0, when={"size": 0.5}),
                "d": Real(0.0, 1.0, when={"many": 3}),
            }
        )
    text = str(raised.value)
    assert "4 problems" in text
    assert "Real 'a' has when={'modle': 'svm'}, but 'modle' is not a variable of the space. Did you mean 'model'?" in text
    assert "Real 'b' has when={'model': 'svn'}: Categorical 'model' got 'svn'" in text
    assert "'size' is a Real; a parent must be a Categorical, an Ordinal, or an Integer with at most 20 values" in text
    assert "'many' is a Integer" in text


def test_a_cycle_is_named():
    with pytest.raises(SpaceError, match="'a' -> 'b' -> 'a' form a cycle"):
        Space({"a": Categorical([1, 2], when={"b": 1}), "b": Categorical([1, 2], when={"a": 2})})
    with pytest.raises(SpaceError, match="'a' -> 'a' form a cycle"):
        Space({"a": Categorical([1, 2], when={"a": 1})})


def test_configurations_have_active_variables_only_in_the_order_of_the_space():
    forest = {"model": "forest", "trees": 20, "scale": True}
    rbf = {"model": "svm", "kernel": "rbf", "C": 1.0, "tol": 0.1, "scale": True}
    poly = {"degree": 3, "model": "svm", "kernel": "poly", "C": 1.0, "scale": False}
    for configuration in (forest, rbf, poly):
        assert MODELS.allows(configuration)
        assert list(MODELS.decode(MODELS.encode([configuration]))[0].items()) == list(configuration.items())
        assert MODELS.read(dict(reversed(configuration.items()))) == configuration


@pytest.mark.parametrize(
    ("configuration", "problems"),
    [
        ({"model": "svm", "scale": True}, ["Categorical 'kernel' has no value; give one", "Real 'C' has no value; give one"]),
        (
            {"model": "forest", "trees": 20, "scale": True, "C": 2.0},
            ["Real 'C' has a value, but it exists only when 'model' is 'svm'; drop it"],
        ),
        (
            {"model": "tree", "trees": 20, "scale": True},
            ["Categorical 'model' got 'tree'; its choices are 'svm', 'forest'. Did you mean 'forest'?"],
        ),
    ],
)
def test_a_configuration_with_the_wrong_variables_is_explained(configuration, problems):
    found = MODELS.problems(configuration)
    assert [text.split(" Did you mean")[0] for text in found] == [text.split(" Did you mean")[0] for text in problems]
    with pytest.raises(SpaceError):
        MODELS.encode([configuration])


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_encode_and_decode_are_inverse(data):
    space = data.draw(conditional_spaces())
    configuration = data.draw(configurations(space))
    point = space.encode([configuration])
    assert space.domain.canonical(point) == point
    again = space.decode(point)[0]
    assert list(again) == list(configuration)
    assert space.encode([again]) == space.rounded(point)
    assert space.read(configuration) == configuration


@settings(max_examples=25, deadline=None)
@given(conditional_spaces())
def test_a_space_survives_json(space):
    again = Space.from_dict(space.to_dict())
    assert again == space
    assert hash(again) == hash(space)
    assert [space[name].when for name in space] == [again[name].when for name in again]


def test_a_space_without_conditions_is_written_as_before():
    assert "when" not in Space({"a": Categorical([1, 2])}).to_dict()["variables"][0]


def test_fixing_a_parent_leaves_out_the_variables_that_cannot_exist():
    forest = MODELS.fix(model="forest")
    assert forest.sample(5, 0)[0].keys() == {"model", "trees", "scale"}
    assert forest.size == 491 * 2
    svm = MODELS.fix(model="svm", kernel="poly")
    assert svm.sample(1, 0)[0].keys() == {"degree", "model", "kernel", "C", "scale"}
    assert MODELS.fix(C=1.0).read({"model": "forest", "trees": 20, "scale": True}) == {
        "model": "forest",
        "trees": 20,
        "scale": True,
    }


def test_a_variable_cannot_be_fixed_if_its_parents_rule_it_out():
    with pytest.raises(SpaceError, match="'C' exists only when 'model' is 'svm'; drop it, or fix its parents"):
        MODELS.fix(model="forest", C=1.0)


def test_a_constant_parent_passes_its_own_condition_on():
    space = Space(
        {
            "m": Categorical(["a", "b"]),
            "only": Categorical(["x"], when={"m": "a"}),
            "child": Ordinal([1, 2], when={"only": "x"}),
        }
    )
    assert {frozenset(c) for c in space.sample(40, 0)} == {frozenset({"m"}), frozenset({"m", "only", "child"})}
    assert space.size == 3


def test_a_clause_never_applies_to_a_variable_that_does_not_exist():
    space = Space(
        dict(MODELS.variables), [Forbid({"trees": 255, "scale": True}), Forbid({"kernel": ["rbf", "poly"], "scale": True})]
    )
    drawn = space.sample(100, 0)
    assert all(c["model"] == "forest" or not c["scale"] for c in drawn)
    assert any(c["model"] == "svm" for c in drawn)
    assert not space.allows({"model": "forest", "trees": 255, "scale": True})
    with pytest.raises(SpaceError, match="forbids every configuration"):
        Space(dict(MODELS.variables), Forbid({"scale": [True, False]}))


def test_a_predicate_sees_the_variables_that_exist():
    space = Space(dict(MODELS.variables), lambda c: c.get("trees", 0) < 100)
    assert all(c.get("trees", 0) < 100 for c in space.sample(50, 0))
