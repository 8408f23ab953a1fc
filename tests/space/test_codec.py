import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casmopolitan.core.points import Points
from casmopolitan.errors import SpaceError
from casmopolitan.space import Categorical, Forbid, Integer, Ordinal, Real, Space
from casmopolitan.space.codec import constant, only_value
from strategies import configurations, finite_variables, seeds, spaces

MIXED = Space(
    {
        "kind": Categorical(["a", "b", "c"]),
        "batch": Ordinal([32, 64, 128]),
        "same": Categorical(["only"]),
        "layers": Integer(1, 8),
        "width": Integer(1, 1000, log=True),
        "rate": Real(1e-5, 1e-1, log=True),
        "drop": Real(0, 1, step=0.1),
    }
)


def typed(configuration):
    return {name: (type(value), value) for name, value in configuration.items()}


@given(spaces(kinds=finite_variables()), st.data())
def test_every_finite_configuration_survives_the_round_trip_exactly_and_natively(space, data):
    configuration = data.draw(configurations(space))
    (back,) = space.decode(space.encode([configuration]))
    assert typed(back) == typed(configuration)
    assert list(back) == list(space.names)


@given(spaces(clauses=0), st.data())
def test_reals_survive_to_float_resolution_and_never_leave_their_range(space, data):
    configuration = data.draw(configurations(space))
    (back,) = space.decode(space.encode([configuration]))
    for name, value in configuration.items():
        variable = space[name]
        if variable.count < math.inf:
            assert back[name] == value
            continue
        assert type(back[name]) is float
        assert variable.low <= back[name] <= variable.high
        resolution = abs(value) if variable.log else variable.high - variable.low
        assert abs(back[name] - value) <= 1e-12 * resolution + 4 * math.ulp(value)


@given(spaces(), seeds())
def test_points_survive_the_round_trip(space, seed):
    points = space.domain.draw(5, np.random.default_rng(seed))
    again = space.encode(space.decode(points))
    np.testing.assert_array_equal(again.h, points.h)
    np.testing.assert_allclose(again.x, points.x, atol=1e-7)
    grids = list(space.domain.grids)
    np.testing.assert_array_equal(again.x[:, grids], points.x[:, grids])


@given(spaces(clauses=0), seeds())
def test_every_unit_coordinate_decodes_inside_the_range(space, seed):
    rng = np.random.default_rng(seed)
    drawn = space.domain.draw(3, rng)
    x = np.concatenate([np.zeros((1, space.domain.d_x)), np.ones((1, space.domain.d_x)), drawn.x[:1]])
    for configuration in space.decode(Points(drawn.h, x)):
        assert space.allows(configuration)


def test_the_ends_of_the_unit_interval_are_the_bounds_themselves():
    space = Space({"x": Real(1e-5, 0.1, log=True), "y": Real(0.1, 0.7)})
    assert space.decode(Points(np.empty((2, 0), dtype=np.int64), np.array([[0.0, 0.0], [1.0, 1.0]]))) == [
        {"x": 1e-5, "y": 0.1},
        {"x": 0.1, "y": 0.7},
    ]


def test_discrete_variables_go_to_h_and_continuous_ones_to_x_in_their_own_order():
    domain = MIXED.domain
    assert domain.levels.tolist() == [3, 3, 8]
    assert domain.positions[0] is None
    assert [axis.high for axis in domain.axes] == [1000.0, 0.1, 1.0]
    points = MIXED.encode([{"kind": "b", "batch": 128, "same": "only", "layers": 3, "width": 1000, "rate": 1e-5, "drop": 0.3}])
    assert points.h.tolist() == [[1, 2, 2]]
    np.testing.assert_allclose(points.x, [[1.0, 0.0, 0.3]])


def test_a_constant_is_left_out_of_points_and_put_back_into_configurations():
    space = Space({"a": Categorical(["only"]), "b": Real(2, 2), "c": Integer(3, 3)})
    assert (space.domain.d_h, space.domain.d_x, space.size) == (0, 0, 1)
    points = space.encode([{"a": "only", "b": 2, "c": 3}] * 4)
    assert len(points) == 4
    assert space.decode(points) == [{"a": "only", "b": 2.0, "c": 3}] * 4
    assert space.sample(2, 0) == [{"a": "only", "b": 2.0, "c": 3}] * 2


def test_a_wrong_value_for_a_constant_is_refused():
    with pytest.raises(SpaceError, match=r"Categorical 'a' got 'other'"):
        Space({"a": Categorical(["only"]), "b": Real(0, 1)}).encode([{"a": "other", "b": 0.5}])


def test_no_configurations_give_no_points():
    points = MIXED.encode([])
    assert points.h.shape == (0, 3)
    assert points.x.shape == (0, 3)
    assert MIXED.decode(points) == []


def test_numpy_values_are_taken_and_native_ones_given_back():
    space = Space({"a": Categorical([1, 2]), "n": Integer(0, 99), "x": Real(0, 1)})
    (back,) = space.decode(space.encode([{"a": np.int64(2), "n": np.int32(7), "x": np.float32(0.5)}]))
    assert typed(back) == typed({"a": 2, "n": 7, "x": 0.5})


def test_every_problem_of_every_configuration_is_named_with_its_place():
    space = Space({"a": Categorical(["x", "y"]), "b": Integer(1, 3)})
    with pytest.raises(SpaceError) as caught:
        space.encode([{"a": "x", "b": 1}, {"a": "z", "b": 9}, {"a": "x", "B": 1}, 7])
    assert [text.split(":")[0] for text in caught.value.problems] == [
        "configuration 1",
        "configuration 1",
        "configuration 2",
        "configuration 2",
        "configuration 3",
    ]


def test_thousands_of_wrong_names_are_all_listed_and_the_first_get_a_suggestion():
    space = Space({f"layer_{i}": Categorical([0, 1]) for i in range(1500)})
    with pytest.raises(SpaceError) as caught:
        space.encode([{f"layers_{i}": 0 for i in range(1500)}])
    assert len(caught.value.problems) == 3000
    assert "Did you mean 'layer_0'?" in caught.value.problems[0]
    assert "Did you mean" not in caught.value.problems[1000]


def test_one_configuration_instead_of_a_list_is_pointed_out():
    with pytest.raises(SpaceError, match=r"write \[configuration\]"):
        MIXED.encode({"kind": "a"})


@given(spaces(kinds=finite_variables(), clauses=2), seeds())
def test_clauses_forbid_the_same_points_as_configurations(space, seed):
    points = space.domain.draw(20, np.random.default_rng(seed))
    spoken = [not any(rule.applies(c) for rule in space.constraint) for c in space.decode(points)]
    assert space.domain.allows(points).tolist() == spoken


def test_a_clause_on_a_wide_integer_is_found_on_its_axis():
    space = Space({"n": Integer(0, 99), "a": Categorical(["x", "y"])}, constraint=Forbid({"n": list(range(50))}))
    assert all(c["n"] >= 50 for c in space.sample(200, 0))


@given(spaces(clauses=0), st.data())
def test_a_variable_made_constant_has_that_value_only(space, data):
    for name, value in data.draw(configurations(space)).items():
        fixed = constant(space[name], value)
        assert fixed.problems() == []
        assert type(fixed) is type(space[name])
        assert fixed.count == 1
        assert only_value(fixed) == value


@given(spaces(clauses=0), seeds(), st.integers(0, 4))
def test_rounded_points_are_those_of_the_decoded_configurations(space, seed, n):
    points = space.domain.draw(n, np.random.default_rng(seed))
    again = space.encode(space.decode(points))
    rounded = space.rounded(points)
    np.testing.assert_array_equal(rounded.h, again.h)
    np.testing.assert_array_equal(rounded.x, again.x)
    assert rounded.identities() == again.identities()


@given(spaces(clauses=0), st.data())
def test_many_configurations_are_coded_as_each_alone(space, data):
    rows = [data.draw(configurations(space)) for _ in range(3)]
    together = space.encode(rows)
    for i, row in enumerate(rows):
        assert together[i] == space.encode([row])
        (back,) = space.decode(together[i])
        assert typed(back) == typed(space.decode(together)[i])
        assert typed(space.read(row)) == {name: (type(v), v) for name, v in ((n, space[n].read(row[n])) for n in space)}
