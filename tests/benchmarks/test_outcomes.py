from __future__ import annotations

import math

import numpy as np
import pytest

import casmopolitan as cas
from benchmarks import outcomes, tables
from benchmarks.outcome_problems import PROBLEMS, TABLES, OutcomeProblem, beam, gear_front, vessel, volume, zdt5


def test_the_front_of_zdt5_has_its_known_hypervolume():
    assert volume(zdt5().front, np.array([32.0, 60.0])) == pytest.approx(1819.7275, abs=1e-4)


def test_zdt5_is_on_its_front_with_all_groups_full():
    problem = zdt5()
    full = {f"b{k}": int(k >= 30) for k in range(80)}
    assert problem.measure(full) == {"f1": 1.0, "f2": 10.0}
    assert problem.measure(dict.fromkeys(full, 0)) == {"f1": 1.0, "f2": 20.0}


def test_the_front_of_the_gear_train_has_28_points():
    front = gear_front()
    assert len(front) == 28
    assert front[0].tolist() == pytest.approx([5.931, 12.0, 5.931 / 6.931 - 0.5])


def test_the_best_known_pressure_vessel_is_feasible_to_rounding():
    best = vessel({"shell": 13, "head": 7, "radius": 42.0984456, "length": 176.6365958})
    assert best["cost"] == pytest.approx(PROBLEMS["pressure-vessel"]().best, rel=1e-6)
    assert best["volume"] == pytest.approx(1296000, rel=1e-6)
    assert best["shell spare"] == pytest.approx(0.0, abs=1e-6)


def test_a_thicker_beam_costs_more_and_bends_less():
    thin = {"sides": 2, "metal": "steel", "h": 0.25, "l": 5.0, "t": 8.0, "b": 0.25}
    one, other = beam(thin), beam(thin | {"b": 0.5})
    assert one["cost"] < other["cost"]
    assert one["deflection"] == pytest.approx(2 * other["deflection"])
    assert one["bending"] == pytest.approx(6 * 6000 * 14 / (64 * 0.25) - 3e4)


def test_the_score_of_one_objective_is_the_best_feasible_value():
    problem = OutcomeProblem(cas.Space({"a": cas.Integer(0, 1)}), dict, {"y": "maximize"}, {"m": "<= 2"})
    assert problem.score([{"y": 9.0, "m": 3.0}, None, {"y": 4.0, "m": 2.0}, {"y": 5.0, "m": 1.0}]) == 5.0
    assert problem.score([{"y": 9.0, "m": 3.0}]) == -math.inf


def test_the_score_of_the_exact_front_is_one():
    problem = zdt5()
    rows = [{"f1": f1, "f2": f2} for f1, f2 in problem.front]
    assert problem.score(rows) == pytest.approx(1.0)
    assert problem.score(rows[:5]) < 1.0


def test_a_table_with_several_outcomes_has_its_exact_front(tmp_path, monkeypatch):
    name, (objectives, _) = "arylation-yield-cost", TABLES["arylation-yield-cost"]
    rows = [
        "base,concentration,temperature," + ",".join(objectives),
        "a,1,90,50,3",
        "b,1,90,60,4",
        "b,2,90,40,5",
        "a,2,90,50,2",
    ]
    (tmp_path / f"{name}.csv").write_text("\n".join(rows))
    monkeypatch.setenv(tables.FOLDER, str(tmp_path))
    problem = PROBLEMS[name]()
    assert problem.front.tolist() == [[50.0, 2.0], [60.0, 4.0]]
    assert problem.measure({"base": "a", "concentration": "1", "temperature": "90"}) == {"yield": 50.0, "cost": 3.0}


def test_methods_are_run_and_summarised(capsys):
    outcomes.main(["--problems", "gear-train", "--methods", "random,tpe", "--seeds", "1", "--budget", "25"])
    text = capsys.readouterr().out
    assert "gear-train" in text
    assert "tpe" in text
