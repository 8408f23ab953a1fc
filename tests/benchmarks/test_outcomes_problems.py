from __future__ import annotations

import math

import numpy as np
import pytest

import casmopolitan as cas
from benchmarks import tables
from benchmarks.outcomes import fronts, limited
from benchmarks.outcomes.measured import TABLES
from benchmarks.outcomes.problem import OutcomeProblem, excess, hypervolume, volume_of
from benchmarks.outcomes.problems import PROBLEMS
from benchmarks.outcomes.sorbent import LEVELS, sorbent


def test_the_hypervolume_is_that_of_a_count_of_grid_points():
    rng = np.random.default_rng(0)
    grid = (np.stack(np.meshgrid(*[np.arange(20)] * 3), axis=-1).reshape(-1, 3) + 0.5) / 20
    for _ in range(5):
        rows = rng.integers(0, 20, size=(8, 3)) / 20
        covered = (grid[:, None, :] > rows[None]).all(axis=2).any(axis=1).mean()
        assert hypervolume(rows, np.ones(3)) == pytest.approx(covered)


def test_the_score_of_one_objective_is_the_best_feasible_value():
    problem = OutcomeProblem(cas.Space({"a": cas.Integer(0, 1)}), dict, {"y": "maximize"}, {"m": "<= 2"})
    assert problem.score([{"y": 9.0, "m": 3.0}, None, {"y": 4.0, "m": 2.0}, {"y": 5.0, "m": 1.0}]) == 5.0
    assert problem.score([{"y": 9.0, "m": 3.0}]) == -math.inf


@pytest.mark.parametrize(("limit", "over"), [("<= 2", 1.0), (">= 2", -1.0)])
def test_an_excess_is_positive_if_the_limit_is_not_met(limit, over):
    assert excess(3.0, limit) == over


def test_the_front_of_zdt5_has_its_known_hypervolume():
    front = np.array([[f1, 10.0 / f1] for f1 in range(1, 32)])
    assert hypervolume(front, np.array([32.0, 60.0])) == pytest.approx(1819.7275, abs=1e-4)
    rows = [{"f1": f1, "f2": f2} for f1, f2 in front]
    assert fronts.zdt5().score(rows) == pytest.approx(1.0)
    assert fronts.zdt5().score(rows[:5]) < 1.0


def test_zdt5_is_on_its_front_with_all_groups_full():
    problem = fronts.zdt5()
    full = {f"b{k}": int(k >= 30) for k in range(80)}
    assert problem.measure(full) == {"f1": 1.0, "f2": 10.0}
    assert problem.measure(dict.fromkeys(full, 0)) == {"f1": 1.0, "f2": 20.0}


def test_the_front_of_re36_has_28_points_and_with_56_teeth_its_published_hypervolume():
    front = fronts.gear_front()
    assert len(front) == 28
    assert front[0].tolist() == pytest.approx([5.931, 12.0, 5.931 / 6.931 - 0.5])
    assert front[-1].tolist() == pytest.approx([6.931 - 43 * 49 / (16 * 19), 49.0, 0.0])
    low, high = front.min(axis=0), np.array([5.931, 56.0, front[0, 2]])
    assert hypervolume((front - low) / (high - low), np.full(3, 1.1)) == pytest.approx(1.00596, abs=5e-6)
    assert volume_of(front).whole == pytest.approx(fronts.re36().volume.whole)


def test_re22_costs_least_and_lacks_most_with_the_least_steel():
    measure = fronts.re22().measure
    assert measure({"steel": 0.2, "width": 20.0, "depth": 0.0}) == pytest.approx({"cost": 5.88, "violation": 180.01547})
    best = measure({"steel": 6.32, "width": 8.5, "depth": 34.0})  # the best known design with a whole depth
    assert best["cost"] == pytest.approx(359.208)
    assert best["violation"] == pytest.approx(1.4678, abs=1e-3)


def test_re23_is_the_vessel_with_its_violations_added_up():
    small = fronts.re23().measure({"shell": 1, "head": 1, "radius": 10.0, "length": 10.0})
    assert small["cost"] == pytest.approx(15.9018, abs=1e-4)
    assert small["violation"] == pytest.approx(1288669.7805 + 0.193 - 0.0625 + 0.0954 - 0.0625, abs=0.3)


def test_re25_has_the_best_known_spring_and_the_smallest():
    best = fronts.spring({"turns": 9, "coil": 1.2230410, "wire": 0.283})  # 2.65856 by Sandgren's formula, without violation
    assert best["volume"] == pytest.approx(2.65856, rel=1e-4)
    assert best["violation"] == pytest.approx(0.0, abs=1e-9)
    small = fronts.spring({"turns": 1, "coil": 0.6, "wire": 0.092})
    assert small["volume"] == pytest.approx(0.0375913492)


def test_re35_has_the_best_known_speed_reducer():
    best = {"face": 3.5, "module": 0.7, "teeth": 17, "l1": 7.3, "l2": 7.715319911, "d1": 3.350214666, "d2": 5.286654465}
    found = fronts.gearbox(best)
    cubes = best["d1"] ** 3 + best["d2"] ** 3
    assert found["weight"] + 0.0007 * cubes == pytest.approx(2994.4710, abs=1e-2)  # the original has 7.4777 instead of 7.477
    assert found["stress"] == pytest.approx(1100.0, abs=1e-2)


def test_the_oil_sorbent_adds_its_coefficients_where_all_levels_are_largest():
    largest = sorbent({"v1": 1.0, "v5": 1.0} | {name: levels[-1] for name, levels in LEVELS.items()})
    nothing = sorbent({"v1": 0.0, "v5": 0.0} | dict.fromkeys(LEVELS, 0.0))
    assert nothing == pytest.approx({"contact angle": -197.0928, "absorbed oil": -212.8531, "strength": 7.7696})
    assert largest == pytest.approx({"contact angle": 48.6414, "absorbed oil": -101.7424, "strength": -9.2195})


def test_the_best_known_pressure_vessel_is_feasible_to_rounding():
    best = limited.vessel({"shell": 13, "head": 7, "radius": 42.0984456, "length": 176.6365958})
    assert best["cost"] == pytest.approx(PROBLEMS["pressure-vessel"]().best, rel=1e-6)
    assert best["volume"] == pytest.approx(1296000, rel=1e-6)
    assert best["shell spare"] == pytest.approx(0.0, abs=1e-6)


def test_a_thicker_beam_costs_more_and_bends_less():
    thin = {"sides": 2, "metal": "steel", "h": 0.25, "l": 5.0, "t": 8.0, "b": 0.25}
    one, other = limited.beam(thin), limited.beam(thin | {"b": 0.5})
    assert one["cost"] < other["cost"]
    assert one["deflection"] == pytest.approx(2 * other["deflection"])
    assert one["bending"] == pytest.approx(6 * 6000 * 14 / (64 * 0.25) - 3e4)


OPTIMA = {
    "cat-cstrs-2": {"a": "B", "b": "A", "i": 5, "j": 5, "x": 0.75221235, "y": 1.0},
    "cat-cstrs-6": {"a": "B", "b": "C", "i": 6, "j": 0, "x": 4.11579854, "y": 2.24851290, "z": -0.56324786},
    "cat-cstrs-7": {"u": 80, "v": 80, "x": 93.13842175, "y": 53.518010},
    "cat-cstrs-11": {"form": 5, "shell": 13, "head": 7, "length": 176.6365958, "x": 157.5538969396},
    "cat-cstrs-12": {"a": 4, "b": 4, "depth": 28, "x": 6.40088835, "y": 8.75378034},
}


@pytest.mark.parametrize("name", OPTIMA)
def test_the_best_known_design_of_a_cat_suite_problem_has_its_value_and_is_feasible(name):
    problem = PROBLEMS[name]()
    row = problem.measure(OPTIMA[name])
    assert row[next(iter(problem.objectives))] == pytest.approx(problem.best, rel=1e-4)
    over = {k: excess(row[k], limit) for k, limit in problem.limits.items()}
    assert max(over.values()) < 1e-3


@pytest.mark.parametrize("name", [name for name in PROBLEMS if not name.startswith(("arylation", "lipid"))])
def test_a_random_configuration_has_every_outcome_and_none_beats_the_exact_answer(name):
    problem = PROBLEMS[name]()
    rows = [problem.measure(c) for c in problem.space.sample(30, 0)]
    assert all(set(problem.objectives) | set(problem.limits) == set(row) for row in rows)
    assert all(math.isfinite(value) for row in rows for value in row.values())
    score = problem.score(rows)
    assert score >= problem.best if problem.volume is None else 0.0 <= score < 1.0


@pytest.fixture
def table(tmp_path, monkeypatch) -> str:
    name, (outcomes, _) = "arylation-yield-cost", TABLES["arylation-yield-cost"]
    rows = [
        "base,concentration,temperature," + ",".join(outcomes),
        "a,1,90,50,0.03",
        "b,1,90,60,0.04",
        "b,2,90,40,0.05",
        "a,2,90,50,0.02",
    ]
    (tmp_path / f"{name}.csv").write_text("\n".join(rows))
    monkeypatch.setenv(tables.FOLDER, str(tmp_path))
    return name


def test_a_table_with_several_outcomes_has_its_exact_front(table):
    problem = PROBLEMS[table]()
    assert problem.measure({"base": "a", "concentration": "1", "temperature": "90"}) == {"yield": 50.0, "cost": 0.03}
    assert problem.score([{"yield": 50.0, "cost": 0.02}, {"yield": 60.0, "cost": 0.04}]) == pytest.approx(1.0)


def test_a_table_with_a_limit_has_its_exact_answer(table):
    problem = PROBLEMS["arylation-cheap"]()
    assert problem.objectives == {"yield": "maximize"}
    assert problem.best == 50.0
