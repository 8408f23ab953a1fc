import json
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casmopolitan import PAPER, Categorical, DataError, Optimizer, Space, SpaceError
from casmopolitan.space.descriptors import CORRELATED, MOST, decorrelated, euclidean, matrix_problems

NAMES = ["water", "ethanol", "toluene"]
ROWS = [[1.0, 5.0], [2.0, 1.0], [4.0, 9.0]]


def tables(choices=6, columns=5):
    numbers = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 3))
    return st.lists(st.lists(numbers, min_size=columns, max_size=columns), min_size=choices, max_size=choices)


@pytest.mark.parametrize(
    "table",
    [
        dict(zip(NAMES, ROWS, strict=True)),
        dict(zip(reversed(NAMES), reversed(ROWS), strict=True)),
        {name: {"polarity": a, "boiling": b} for name, (a, b) in zip(NAMES, ROWS, strict=True)} | {"benzene": {}},
        np.array(ROWS),
        SimpleNamespace(columns=["p", "b"], index=NAMES, to_numpy=lambda: np.array(ROWS)),
    ],
)
def test_a_table_is_read_by_choice_or_in_the_order_of_the_choices(table):
    assert Categorical(NAMES, descriptors=table).descriptors == tuple(map(tuple, ROWS))


def test_choices_that_differ_by_type_only_have_rows_of_their_own():
    assert Categorical([1, True, None], descriptors=[[1], [2], [5]]).descriptors == ((1.0,), (2.0,), (5.0,))


@settings(deadline=None, max_examples=50)
@given(tables())
def test_distances_are_those_of_standardised_columns_with_mean_one(rows):
    z = np.array([(column - column.mean()) / (column.std() or 1.0) for column in np.array(rows).T if np.ptp(column)]).T
    if not z.size:
        return
    expected = np.array([[np.linalg.norm(a - b) for b in z] for a in z])
    found = euclidean(tuple(map(tuple, rows)))
    np.testing.assert_allclose(found, expected / expected[np.triu_indices(len(z), 1)].mean(), atol=1e-6)
    assert matrix_problems(found) == []


@settings(deadline=None, max_examples=50)
@given(tables(columns=12))
def test_no_column_that_is_kept_is_constant_or_correlates_with_another(rows):
    kept = np.array(decorrelated(tuple(map(tuple, rows))))
    if kept.shape[1] > 1:
        apart = np.abs(np.corrcoef(kept.T)) - np.eye(kept.shape[1])
        assert apart.max() <= CORRELATED + 1e-9
    again = decorrelated(tuple(map(tuple, kept.tolist())))
    assert again == tuple(map(tuple, kept.tolist()))


def test_constant_and_repeated_columns_are_dropped():
    rows = [(1.0, 7.0, -2.0, 3.0), (2.0, 7.0, -4.0, -1.0), (3.0, 7.0, -6.0, 3.0), (4.0, 7.0, -8.0, -1.0)]
    assert decorrelated(tuple(rows)) == tuple((row[0], row[3]) for row in rows)


def test_distances_are_read_by_name_and_scaled_to_mean_one():
    matrix = {"a": {"b": 2, "a": 0, "c": 4}, "b": {"a": 2, "b": 0, "c": 2}, "c": {"a": 4, "b": 2, "c": 0}}
    variable = Categorical(["a", "b", "c"], distances=matrix)
    assert variable.distances == ((0.0, 2.0, 4.0), (2.0, 0.0, 2.0), (4.0, 2.0, 0.0))
    np.testing.assert_allclose(variable.apart, np.array(variable.distances) / (8 / 3))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"descriptors": 5}, "has the descriptors 5; give a dict"),
        ({"descriptors": "table.csv"}, "has the descriptors 'table.csv'; give a dict"),
        ({"descriptors": [[1], [2]]}, "descriptors in 2 rows for 3 choices"),
        ({"descriptors": {"water": [1], "Ethanol": [2], "toluene": [3]}}, "no descriptors for 'ethanol'"),
        ({"descriptors": {"water": [1], "Ethanol": [2], "toluene": [3]}}, "Did you mean 'Ethanol'?"),
        ({"descriptors": [[1, 2], [2], [3, 4]]}, "'ethanol' that have other columns"),
        ({"descriptors": [[1], 2, [3]]}, "for 'ethanol' that are 2; give a list of numbers"),
        ({"descriptors": [[1], [float("nan")], ["x"]]}, "'ethanol' that have nan in column 1"),
        ({"descriptors": [[1], [float("nan")], ["x"]]}, "'toluene' that have 'x' in column 1"),
        ({"descriptors": [[1], [1], [1]]}, "the same for all choices"),
        ({"descriptors": ROWS, "distances": np.zeros((3, 3))}, "both descriptors and distances"),
        ({"distances": [[0, 1], [1, 0], [2, 1]]}, "3 rows and 2 columns; give a square matrix"),
        ({"distances": [[0, -1, 1], [-1, 0, 1], [1, 1, 0]]}, "distance is not negative"),
        ({"distances": [[1, 1, 1], [1, 0, 1], [1, 1, 0]]}, "the diagonal must be zero"),
        ({"distances": [[0, 1, 2], [1, 0, 1], [3, 1, 0]]}, "not symmetric"),
        ({"distances": np.zeros((3, 3))}, "all zero"),
        ({"distances": [[0, 1, 9], [1, 0, 1], [9, 1, 0]]}, "not of negative type (eigenvalue 1.67"),
    ],
)
def test_a_description_that_cannot_be_used_is_refused_with_the_reason(given, words):
    with pytest.raises(SpaceError) as error:
        Space({"solvent": Categorical(NAMES, **given)})
    assert "Categorical 'solvent' has" in str(error.value)
    assert words in str(error.value)


def test_a_matrix_is_refused_exactly_if_it_gives_no_kernel():
    rng, verdicts = np.random.default_rng(0), set()
    for _ in range(200):
        D = rng.random((4, 4))
        D += D.T
        np.fill_diagonal(D, 0.0)
        smallest = min(np.linalg.eigvalsh(np.exp(-v * D)).min() for v in np.geomspace(1e-3, 10.0, 40))
        refused = bool(matrix_problems(D))
        verdicts.add(refused)
        assert refused == (smallest < -1e-9)
    assert verdicts == {True, False}


def test_too_many_described_choices_are_refused():
    variable = Categorical(range(MOST + 1), descriptors=[[k] for k in range(MOST + 1)])
    assert variable.problems() == [f"has {MOST + 1} choices; at most {MOST} can be described"]


@pytest.mark.parametrize("given", [{"descriptors": ROWS}, {"distances": [[0, 1, 2], [1, 0, 1], [2, 1, 0]]}])
def test_a_described_space_is_the_same_after_json(given):
    space = Space({"solvent": Categorical(NAMES, **given), "base": Categorical(["x", "y"])})
    again = Space.from_dict(json.loads(json.dumps(space.to_dict())))
    assert again == space
    assert hash(again) == hash(space)
    assert again != Space({"solvent": Categorical(NAMES), "base": Categorical(["x", "y"])})
    np.testing.assert_array_equal(again.domain.distances[0], space.domain.distances[0])
    assert again.domain.distances[1] is None
    assert "=..." in repr(space)


def test_a_space_without_descriptions_has_no_distances():
    assert Space({"base": Categorical(["x", "y"])}).domain.distances == ()
    assert "descriptors" not in json.dumps(Space({"base": Categorical(["x", "y"])}).to_dict())


def test_a_fixed_variable_needs_no_description():
    space = Space({"solvent": Categorical(NAMES, descriptors=ROWS), "base": Categorical(["x", "y"])})
    assert space.fix(solvent="water").domain.distances == ()


def test_a_kernel_that_cannot_use_descriptions_is_refused():
    space = Space({"solvent": Categorical(NAMES, descriptors=ROWS)})
    with pytest.raises(DataError, match=r"kernel='categorical', which cannot use the descriptors or distances of 'solvent'"):
        Optimizer(space, config=PAPER)
