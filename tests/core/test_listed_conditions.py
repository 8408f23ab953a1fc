"""Lists of candidates whose variables exist only sometimes: read from all kinds of rows, searched, fixed and replayed."""

import pytest

import casmopolitan as cas
from casmopolitan.study import CasmopolitanSampler, open_study, suggest

VARIABLES = {
    "C": cas.Real(0.1, 100, log=True, when={"model": "svm"}),
    "kernel": cas.Categorical(["rbf", "poly"], when={"model": "svm"}),
    "trees": cas.Integer(1, 500, when={"model": "forest"}),
}
ROWS = [
    *({"model": "svm", "C": float(c), "kernel": kernel} for c in (1, 3, 10, 30) for kernel in ("rbf", "poly")),
    *({"model": "forest", "trees": trees} for trees in (10, 20, 50, 100, 200, 500)),
]
SPACE = cas.Space.of(ROWS, variables=VARIABLES)
QUICK = cas.Config(n_initial=4, fit_steps=5, fit_starts=1)


def value(configuration):
    return abs(configuration["C"] - 10) if configuration["model"] == "svm" else 2 - configuration["trees"] / 500


def table(path):
    lines = [",".join(str(row.get(name, "")) for name in ("model", "C", "kernel", "trees")) for row in ROWS]
    path.write_text("\n".join(["model,C,kernel,trees", *lines]))
    return path


class Frame(dict):
    """A data frame as far as it is needed: missing values are NaN."""

    columns = ("model", "C", "kernel", "trees")

    def __missing__(self, name):
        return [row.get(name, float("nan")) for row in ROWS]


def test_missing_values_are_read_from_dicts_frames_and_files(tmp_path):
    assert SPACE.candidates == ROWS
    assert cas.Space.of(Frame(), variables=VARIABLES).candidates == ROWS
    assert cas.Space.of(table(tmp_path / "rows.csv"), variables=VARIABLES).candidates == ROWS
    assert cas.Space.from_dict(SPACE.to_dict()) == SPACE
    assert cas.Space.of([{**dict.fromkeys(VARIABLES), **row} for row in ROWS], variables=VARIABLES).candidates == [
        {name: row[name] for name in (*VARIABLES, "model") if name in row} for row in ROWS
    ]


def test_a_chain_of_conditions_may_hang_on_the_first_choice():
    when = {
        "kernel": cas.Categorical(["poly", "rbf"], when={"model": "svm"}),
        "degree": cas.Integer(2, 5, when={"kernel": "poly"}),
    }
    rows = [{"model": "svm", "kernel": "poly", "degree": 3}, {"model": "svm", "kernel": "rbf"}, {"model": "forest"}]
    space = cas.Space.of(rows, variables=when)
    assert space.candidates == rows
    assert space.decode(space.encode(rows)) == rows
    with pytest.raises(cas.SpaceError, match=r"candidate 0 has 'degree', which exists only when 'kernel' is 'poly'"):
        cas.Space.of([{"model": "forest", "degree": 3}, *rows], variables=when)


def test_values_that_are_missing_or_too_many_are_named():
    rows = [{"model": "svm", "C": 1.0}, {"model": "forest", "trees": 10, "kernel": "rbf"}]
    with pytest.raises(cas.SpaceError) as raised:
        cas.Space.of(rows, variables=VARIABLES)
    assert raised.value.problems == [
        "candidate 0 has no 'kernel', which exists when 'model' is 'svm'; give a value",
        "candidate 1 has 'kernel', which exists only when 'model' is 'svm'; leave the cell empty",
    ]


@pytest.mark.parametrize("config", [QUICK, cas.DEFAULT], ids=["quick", "default"])
def test_every_candidate_is_suggested_once_and_replay_equals_the_live_run(config):
    optimizer, tried = cas.Optimizer(SPACE, seed=0, config=config), []
    for n in range(len(ROWS)):
        trial = optimizer.ask()
        tried.append(trial.configuration)
        if n == 9:
            again = cas.Optimizer.from_json(optimizer.to_json())
            again.tell(trial.number, value(trial.configuration))
        optimizer.tell(trial, value(trial.configuration))
    assert tried[10] == again.ask().configuration
    assert sorted(map(str, tried)) == sorted(map(str, ROWS))
    with pytest.raises(cas.ExhaustedError):
        optimizer.ask()


def test_a_branch_can_be_fixed():
    optimizer = cas.Optimizer(SPACE, seed=0, config=QUICK)
    assert {trial.configuration["model"] for trial in optimizer.ask(6, fixed={"model": "forest"})} == {"forest"}
    assert SPACE.fix(model="forest").candidates == [row for row in ROWS if row["model"] == "forest"]


def test_a_study_suggests_the_candidates_of_each_branch(tmp_path):
    for part in (1, 2):
        sampler = CasmopolitanSampler(SPACE, seed=0, config=QUICK)
        study = open_study("listed", f"sqlite:///{tmp_path}/listed.db", sampler=sampler)
        study.optimize(lambda trial: value(suggest(trial, SPACE)), n_trials=7)
        assert len({str(trial.params) for trial in study.trials}) == 7 * part
    assert all(trial.params in ROWS for trial in study.trials)


@pytest.mark.parametrize("seed", range(5))
def test_the_first_candidates_use_every_value_evenly_where_it_exists(seed):
    rows = [{"model": model, "size": size} for model in "pqr" for size in (1, 2, 3)]
    rows = [row | ({"kernel": kernel} if row["model"] == "p" else {}) for row in rows for kernel in ("rbf", "poly")]
    kernel = cas.Categorical(["rbf", "poly"], when={"model": "p"})
    for order in (("model", "kernel", "size"), ("size", "model", "kernel")):
        variables = {"model": cas.Categorical(list("pqr")), "size": cas.Ordinal([1, 2, 3]), "kernel": kernel}
        space = cas.Space.of([{name: row[name] for name in order if name in row} for row in rows], variables=variables)
        tried = [trial.configuration for trial in cas.Optimizer(space, seed=seed).ask(9)]
        for name in ("model", "size"):
            found = [configuration[name] for configuration in tried]
            assert all(2 <= found.count(value) <= 4 for value in set(found)), (name, found)
            assert len(set(found[:4])) == 3
        assert {configuration.get("kernel") for configuration in tried} == {"rbf", "poly", None}
