import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import casmopolitan as cas
from casmopolitan.space.candidates import candidates_of, columns_of, inferred

ROWS = [
    {"ligand": "XPhos", "base": "KOAc", "temperature": 90, "dose": 0.1},
    {"ligand": "XPhos", "base": "CsOPiv", "temperature": 105, "dose": 0.2},
    {"ligand": "SPhos", "base": "KOAc", "temperature": 120, "dose": 0.4},
]


class Frame:
    """What a data frame looks like: columns, and a column by its name."""

    def __init__(self, rows):
        self.columns, self.rows = list(rows[0]), rows

    def __getitem__(self, name):
        return np.array([row[name] for row in self.rows])


def test_dicts_frames_and_files_give_the_same_space(tmp_path):
    lines = [",".join(ROWS[0]), *(",".join(map(str, row.values())) for row in ROWS)]
    (tmp_path / "rows.csv").write_text("\n".join(lines), "utf-8")
    from_dicts = cas.Space.of(ROWS)
    assert (
        from_dicts
        == cas.Space.of(Frame(ROWS))
        == cas.Space.of(tmp_path / "rows.csv")
        == cas.Space.of(str(tmp_path / "rows.csv"))
    )
    assert from_dicts.candidates == ROWS
    assert from_dicts.size == 3


@pytest.mark.parametrize(
    ("values", "variable"),
    [
        (["b", "a", "b"], cas.Categorical(["b", "a"])),
        ([True, False], cas.Categorical([True, False])),
        ([3, 1, 2, 1], cas.Ordinal([1, 2, 3])),
        ([1.5, 0.5], cas.Ordinal([0.5, 1.5])),
        (list(range(0, 300, 10)), cas.Integer(0, 290)),
        ([k / 10 for k in range(30)], cas.Real(0.0, 2.9)),
        (["1", 1], cas.Categorical(["1", 1])),
    ],
)
def test_numbers_have_an_order_and_anything_else_has_none(values, variable):
    assert inferred(values) == variable


def test_variables_may_be_given():
    space = cas.Space.of(ROWS, variables={"dose": cas.Real(0.01, 1, log=True), "temperature": cas.Integer(60, 150)})
    assert space["dose"] == cas.Real(0.01, 1, log=True)
    assert space["ligand"] == cas.Categorical(["XPhos", "SPhos"])
    assert space.candidates == ROWS


def test_values_are_read_as_given_variables_list_them(tmp_path):
    (tmp_path / "rows.csv").write_text("t,k,b\n90,1,true\n92.5,2,false\n", "utf-8")
    given = {"t": cas.Ordinal([90, 92.5]), "k": cas.Categorical(["1", "2"]), "b": cas.Categorical([True, False])}
    rows = [{"t": 90, "k": "1", "b": True}, {"t": 92.5, "k": "2", "b": False}]
    from_file = cas.Space.of(tmp_path / "rows.csv", variables=given)
    assert from_file.candidates == rows == cas.Space.of(rows, variables=given).candidates
    assert [type(value) for value in from_file.candidates[0].values()] == [int, str, bool]
    assert cas.Space.of(tmp_path / "rows.csv", variables={"k": cas.Ordinal([1.0, 2.0])}).candidates[0]["k"] == 1.0
    (tmp_path / "none.csv").write_text("m,k\na,None\na,l2\nb,\n", "utf-8")
    penalty = cas.Categorical(["None", "l2"], when={"m": "a"})
    named = cas.Space.of(tmp_path / "none.csv", variables={"k": penalty})
    assert named.candidates == [{"m": "a", "k": "None"}, {"m": "a", "k": "l2"}, {"m": "b"}]
    with pytest.raises(cas.SpaceError, match="candidate 0: Categorical 'k' got 1; its choices are '1', '2'"):
        cas.Space.of([{"k": 1}], variables={"k": given["k"]})


@pytest.mark.parametrize(
    ("rows", "options", "words"),
    [
        ([], {}, "the list of candidates is empty"),
        (3, {}, "give a list of dicts, a data frame, or the path of a CSV file"),
        ([ROWS[0], 3], {}, "candidate 1 is 3"),
        (
            [ROWS[0], {"ligand": "XPhos"}],
            {},
            "candidate 1 has 'ligand'; every candidate needs 'ligand', 'base', 'temperature', 'dose'",
        ),
        ([{"a": 1.0}, {"a": None}], {}, "'a' is None in candidate 1; give a string, a number, True or False"),
        ([{"a": 1.0}, {"a": float("nan")}], {}, "'a' is nan in candidate 1"),
        (ROWS, {"variables": {"lgand": cas.Categorical(["XPhos"])}}, "'lgand' is not a column of the candidates. Did you mean"),
        (ROWS, {"variables": {"ligand": cas.Categorical(["XPhos"])}}, "candidate 2: Categorical 'ligand' got 'SPhos'"),
        (ROWS, {"variables": {"dose": cas.Real(0.0, 0.3)}}, "candidate 2: Real 'dose' got 0.4"),
        (ROWS, {"constraint": "dose >= 2"}, "the constraint allows none of the 3 candidates"),
        ("/nowhere/rows.csv", {}, "cannot be read: No such file"),
        ({"a": [1, 2], "b": [1, 2, 3]}, {}, "differ in length: 'a' has 2, 'b' has 3; give each one value per candidate"),
        ({"a": range(1_000_001)}, {}, "the list has 1,000,001 candidates; at most 1,000,000 are allowed. Leave out"),
    ],
)
def test_a_list_that_cannot_be_used_is_refused_with_the_reason(rows, options, words):
    with pytest.raises(cas.SpaceError) as caught:
        cas.Space.of(rows, **options)
    assert words in str(caught.value)


def test_a_file_with_ragged_rows_or_empty_cells_is_refused(tmp_path):
    (tmp_path / "ragged.csv").write_text("a,b\n1,2\n3\n", "utf-8")
    with pytest.raises(cas.SpaceError, match=r"row 3 of .* has 1 cells instead of 2"):
        columns_of(tmp_path / "ragged.csv")
    (tmp_path / "empty.csv").write_text("a,b\n1,x\n,y\n", "utf-8")
    with pytest.raises(cas.SpaceError, match="'a' is None in candidate 1"):
        columns_of(tmp_path / "empty.csv")


def test_rules_leave_fewer_candidates():
    space = cas.Space.of(ROWS, constraint=["dose <= 0.3", cas.Forbid({"base": "CsOPiv"}), lambda c: c["temperature"] < 100])
    assert space.candidates == ROWS[:1]


def test_a_configuration_that_is_not_listed_is_refused():
    space = cas.Space.of(ROWS)
    other = ROWS[0] | {"base": "CsOPiv"}
    assert not space.allows(other)
    assert "is not one of the 3 listed candidates; one of the nearest is" in space.problems(other)[0]
    with pytest.raises(cas.SpaceError, match="listed candidates"):
        cas.Optimizer(space, seed=0).tell(other, 1.0)


def test_equal_rows_count_once_and_values_come_back_exactly():
    rng = np.random.default_rng(0)
    rows = [{"x": x, "y": y} for x, y in zip(rng.random(50).tolist(), (1e6 * rng.random(50)).tolist(), strict=True)]
    space = cas.Space.of(rows + rows[:7])
    assert space.size == 50
    assert space.decode(space.encode(rows)) == rows
    assert cas.Space.from_dict(space.to_dict()) == space
    assert space.rounded(space.encode(rows)) == space.encode(rows)


def test_fixing_a_value_keeps_the_candidates_that_have_it():
    space = cas.Space.of(ROWS).fix(ligand="XPhos")
    assert space.candidates == ROWS[:2]
    with pytest.raises(cas.SpaceError, match="no candidate has"):
        cas.Space.of(ROWS).fix(ligand="SPhos", base="CsOPiv")


def test_the_candidates_of_a_codec_are_its_distinct_points():
    space = cas.Space.of(ROWS)
    candidates, columns = candidates_of(space._codec, columns_of(ROWS + ROWS))
    assert len(candidates) == 3
    assert columns["dose"] == [0.1, 0.2, 0.4]


@settings(max_examples=4, phases=[Phase.explicit, Phase.generate])
@given(st.integers(0, 10**6), st.sampled_from(["default", "paper"]), st.integers(5, 16), st.sampled_from([1, 4]))
def test_only_candidates_are_suggested_each_once_until_the_list_is_exhausted(seed, preset, size, batch):
    rng = np.random.default_rng(seed)
    rows = [{"a": str(rng.integers(4)), "b": int(rng.integers(50)), "c": float(rng.random())} for _ in range(size)]
    config = replace(cas.DEFAULT if preset == "default" else cas.PAPER, n_initial=3)
    optimizer, seen = cas.Optimizer(cas.Space.of(rows), seed=seed, config=config), []
    while len(seen) < size:
        for trial in optimizer.ask(batch):
            assert trial.configuration in rows
            assert trial.configuration not in seen
            seen.append(trial.configuration)
            optimizer.tell(trial, trial.configuration["b"] + trial.configuration["c"])
    with pytest.raises(cas.ExhaustedError, match=f"the list is exhausted: all {size} candidates"):
        optimizer.ask()


def test_a_sparse_list_is_searched_without_drawing_in_vain():
    rng = np.random.default_rng(1)
    rows = [{f"v{j}": f"c{k}" for j, k in enumerate(row)} for row in rng.integers(10, size=(300, 12)).tolist()]
    space = cas.Space.of(rows)  # one in three thousand million
    optimizer = cas.Optimizer(space, seed=0, config=replace(cas.DEFAULT, n_initial=8))
    for trial in itertools.islice(iter(optimizer.ask, None), 60):
        assert trial.configuration in rows
        optimizer.tell(trial, sum(int(v[1]) for v in trial.configuration.values()))
    values = sorted(sum(int(v[1]) for v in row.values()) for row in rows)
    assert optimizer.best_value <= values[3]


def test_a_saved_run_on_a_list_continues_as_it_would_have():
    space = cas.Space.of([{"a": str(i % 7), "x": i / 37} for i in range(37)])
    optimizer = cas.Optimizer(space, seed=3, config=replace(cas.DEFAULT, n_initial=4))
    for _ in range(8):
        trial = optimizer.ask()
        optimizer.tell(trial, trial.configuration["x"])
    again = cas.Optimizer.from_json(optimizer.to_json())
    assert again.space == space
    assert again.ask().configuration == optimizer.ask().configuration
