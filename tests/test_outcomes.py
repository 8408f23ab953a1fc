"""Several objectives and limits through the public interface: ask and tell, save and load, runs and their results."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import casmopolitan as cas

SPACE = cas.Space({"a": cas.Categorical(list("abc")), "b": cas.Integer(1, 20), "x": cas.Real(0.0, 1.0)})
QUICK = replace(cas.DEFAULT, n_initial=4, candidates=50, climbers=2)
OBJECTIVES = {"error": "minimize", "speed": "maximize"}
LIMITS = {"memory": "<= 150"}


def measure(c):
    error = (c["x"] - 0.3) ** 2 + 0.1 * "abc".index(c["a"])
    return {"error": error, "speed": c["b"] / 10 - c["x"], "memory": 100 * c["x"] + 10.0 * c["b"]}


def one(c):
    return {"value": measure(c)["error"], "memory": measure(c)["memory"]}


def optimizer(**kwargs):
    return cas.Optimizer(SPACE, **({"seed": 0, "config": QUICK, "objectives": OBJECTIVES, "limits": LIMITS} | kwargs))


def advanced(opt, n, told=measure):
    for _ in range(n):
        trial = opt.ask()
        opt.tell(trial, told(trial.configuration))
    return opt


@pytest.fixture(scope="module")
def done():
    return advanced(optimizer(), 10)


def dominates(one, other):
    no_worse = one["error"] <= other["error"] and one["speed"] >= other["speed"]
    return no_worse and (one["error"] < other["error"] or one["speed"] > other["speed"])


def test_the_front_holds_the_feasible_trials_that_no_other_dominates(done):
    feasible = [t for t in done.trials if t.outcomes["memory"] <= 150]
    front = [t.number for t in feasible if not any(dominates(other.outcomes, t.outcomes) for other in feasible)]
    assert [t.number for t in done.pareto_front] == front
    assert all(t.feasible == (t.outcomes["memory"] <= 150) for t in done.trials)


def test_the_hypervolume_is_bounded_by_the_reference_point():
    opt = optimizer(reference={"error": 2.0, "speed": 0.0}, limits=None)
    opt.tell({"a": "a", "b": 1, "x": 0.0}, {"error": 1.0, "speed": 1.0})
    opt.tell({"a": "a", "b": 2, "x": 0.0}, {"error": 0.5, "speed": 0.5})
    assert opt.hypervolume == pytest.approx(1.0 * 1.0 + 0.5 * 0.5)


def test_several_objectives_have_no_single_best_trial(done):
    with pytest.raises(cas.DataError, match="so there is no single best trial; use pareto_front"):
        _ = done.best_trial


def test_a_saved_optimiser_continues_as_the_live_one(done):
    text = done.to_json()
    again = cas.Optimizer.from_json(text)
    assert again.trials == done.trials
    assert again.goals == done.goals
    assert again.to_json() == text
    assert again.ask().configuration == cas.Optimizer.from_json(text).ask().configuration
    assert json.loads(text)["limits"] == LIMITS


def test_replay_equals_live():
    live = advanced(optimizer(seed=3), 8)
    for _ in range(2):
        again = cas.Optimizer.from_json(live.to_json())
        one, other = live.ask(), again.ask()
        assert one == other
        live.tell(one, measure(one.configuration))


def test_the_order_of_objectives_does_not_matter(done):
    swapped = optimizer(objectives=dict(reversed(OBJECTIVES.items())))
    advanced(swapped, 10)
    assert [t.configuration for t in swapped.trials] == [t.configuration for t in done.trials]


def test_a_record_without_names_reads_as_before_and_one_with_other_outcomes_is_damaged(done):
    plain = cas.Optimizer(SPACE, seed=0, config=QUICK)
    plain.tell(plain.ask(), 1.0)
    document = json.loads(plain.to_json())
    assert "objectives" not in document
    assert cas.Optimizer.from_json(json.dumps(document)).best_value == 1.0
    document["events"][-1]["value"] = [1.0, 2.0]
    with pytest.raises(cas.DataError, match="trial 0 has 2 outcomes instead of a single number"):
        cas.Optimizer.from_json(json.dumps(document))
    document = json.loads(done.to_json())
    document["events"][1]["value"] = 1.0
    with pytest.raises(cas.DataError, match="trial 0 has a single number instead of 3 outcomes"):
        cas.Optimizer.from_json(json.dumps(document))


def test_a_trial_may_be_told_the_same_outcomes_twice_but_no_others(done):
    opt = optimizer()
    trial = opt.ask()
    outcomes = measure(trial.configuration)
    assert opt.tell(trial, outcomes) == opt.tell(trial, outcomes)
    with pytest.raises(cas.DataError, match=r"told \{'error'.*cannot become"):
        opt.tell(trial, outcomes | {"error": 99.0})


def test_a_partly_known_trial_is_complete_but_not_on_the_front():
    opt = optimizer()
    told = [opt.tell(opt.ask(), {"error": 1.0, "speed": 2.0, "memory": None})]
    told.append(opt.tell(opt.ask(), {"error": None, "speed": None, "memory": 3.0}))
    told.append(opt.tell(opt.ask(), cas.FAILED))
    assert [t.status for t in told] == ["complete", "complete", "failed"]
    assert [t.feasible for t in told] == [None, True, None]
    assert opt.pareto_front == []
    assert opt.hypervolume == 0.0


def test_predictions_have_one_column_per_objective_in_the_users_order(done):
    mean, deviation = done.predict([t.configuration for t in done.trials])
    measured = np.array([[t.outcomes["error"], t.outcomes["speed"]] for t in done.trials])
    assert mean.shape == deviation.shape == (10, 2)
    assert np.abs(mean - measured).mean() < 0.2


def test_each_objective_has_a_structure_of_its_own(done):
    assert done.structure("speed").relevances["b"] > done.structure("speed").relevances["a"]
    with pytest.raises(cas.DataError, match="give the name of one objective: 'error', 'speed'"):
        done.structure()


def test_one_objective_with_limits_has_a_best_trial_that_meets_them():
    opt = advanced(optimizer(objectives=None), 9, one)
    feasible = [t for t in opt.trials if t.feasible]
    assert opt.best_trial == min(feasible, key=lambda t: t.value)
    assert opt.pareto_front == [opt.best_trial]
    with pytest.raises(cas.DataError, match="needs several objectives"):
        _ = opt.hypervolume


def test_limits_that_nothing_meets_leave_no_best_trial():
    opt = advanced(optimizer(objectives=None, limits={"memory": "<= -1"}), 6, one)
    with pytest.raises(cas.DataError, match="no trial is known to meet all limits"):
        _ = opt.best_value


@pytest.mark.parametrize("acquisition", ["ucb", "thompson"])
def test_an_acquisition_function_for_one_objective_only_is_refused(acquisition):
    with pytest.raises(cas.DataError, match=f"acquisition is '{acquisition}'.*choose 'log-ei'"):
        optimizer(config=replace(QUICK, acquisition=acquisition))


def test_a_batch_has_no_point_twice(done):
    again = cas.Optimizer.from_json(done.to_json())
    batch = again.ask(4)
    assert len({tuple(t.configuration.values()) for t in [*again.trials]}) == 14
    assert len(batch) == 4


def test_optimize_returns_the_front_and_its_hypervolume():
    result = cas.optimize(measure, SPACE, 10, objectives=OBJECTIVES, limits=LIMITS, seed=0, config=QUICK)
    assert result.pareto_front == tuple(result.optimizer.pareto_front)
    assert result.hypervolume == result.optimizer.hypervolume > 0.0
    assert f"{len(result.pareto_front)} trials on the front" in repr(result)
    row = result.to_rows()[-1]
    assert {"error", "speed", "memory", "feasible"} <= row.keys()
    with pytest.raises(cas.DataError, match="pareto_front"):
        _ = result.best_configuration


def test_minimize_and_maximize_take_limits():
    result = cas.minimize(one, SPACE, 8, limits=LIMITS, seed=0, config=QUICK)
    assert result.best_value == min(t.value for t in result.trials if t.feasible)
    assert (result.hypervolume, result.pareto_front) == (None, (result.best_trial,))


def test_one_named_objective_may_return_a_number():
    result = cas.optimize(lambda c: c["x"], SPACE, 6, objectives={"error": "minimize"}, seed=0, config=QUICK)
    assert result.best_trial.outcomes == {"error": result.best_value}


def test_a_run_in_which_nothing_is_feasible_still_has_a_result():
    result = cas.minimize(one, SPACE, 5, limits={"memory": "<= -1"}, seed=0, config=QUICK)
    assert "no trial meets all limits" in repr(result)
    with pytest.raises(cas.DataError, match="meet all limits"):
        _ = result.best_value


def test_a_run_is_resumed_with_the_same_goals_only(done):
    again = cas.Optimizer.from_json(done.to_json())
    result = cas.optimize(measure, SPACE, 2, objectives=OBJECTIVES, limits=LIMITS, optimizer=again)
    assert len(result.trials) == 12
    with pytest.raises(cas.ConfigError, match="objectives, limits or reference differ"):
        cas.optimize(measure, SPACE, 2, objectives=OBJECTIVES, optimizer=again)


def test_wrong_arguments_of_a_run_are_named():
    with pytest.raises(cas.ConfigError, match="stop_at needs one objective"):
        cas.optimize(measure, SPACE, 2, objectives=OBJECTIVES, limits=LIMITS, stop_at=0.1)
    with pytest.raises(cas.CasmopolitanError, match="limit 'memory' is '512'"):
        cas.optimize(measure, SPACE, 2, objectives=OBJECTIVES, limits={"memory": "512"})


def test_an_objective_with_wrong_outcomes_ends_the_run():
    with pytest.raises(cas.DataError, match="outcome 'memory' is missing"):
        cas.optimize(lambda c: {"error": 1.0, "speed": 1.0}, SPACE, 9, objectives=OBJECTIVES, limits=LIMITS, seed=0)


def test_patience_counts_evaluations_without_growth():
    constant = {"error": 1.0, "speed": 1.0}
    result = cas.optimize(lambda c: constant, SPACE, 9, objectives=OBJECTIVES, seed=0, config=QUICK, patience=2)
    assert (result.stopped, result.evaluations) == ("patience", 3)


def test_a_stop_value_must_be_reached_by_a_feasible_trial():
    result = cas.minimize(one, SPACE, 5, limits={"memory": "<= -1"}, seed=0, config=QUICK, stop_at=1e9)
    assert result.stopped == "budget"


def test_outcomes_come_back_from_other_threads():
    with ThreadPoolExecutor(2) as pool:
        result = cas.optimize(measure, SPACE, 6, objectives=OBJECTIVES, limits=LIMITS, seed=0, config=QUICK, executor=pool)
    assert all(t.outcomes == measure(t.configuration) for t in result.trials)


def test_the_progress_bar_shows_the_size_of_the_front(capsys):
    cas.optimize(measure, SPACE, 3, objectives=OBJECTIVES, limits=LIMITS, seed=0, config=QUICK, progress=True)
    assert "front of " in capsys.readouterr().err


@pytest.mark.parametrize("seed", range(4))
def test_any_history_of_batches_failures_and_gaps_replays_and_repeats_no_point(seed):
    """Two or four objectives, a limit, batches out of order, trials that fail, are cancelled or are partly known."""
    rng, count = np.random.default_rng(seed), 2 if seed % 2 else 4
    space = cas.Space({"a": cas.Categorical(list("abc")), "b": cas.Ordinal([1, 2, 4, 8]), "c": cas.Integer(0, 4)})
    objectives = {f"f{j}": "maximize" if j % 2 else "minimize" for j in range(count)}
    opt = cas.Optimizer(space, seed=seed, config=QUICK, objectives=objectives, limits={"g": "<= 0.3", "f0": "<= 1.5"})
    for _ in range(6):
        opt.ask(int(rng.integers(1, 4)))
        pending = opt.pending
        for trial in [pending[k] for k in rng.permutation(len(pending))[:3]]:
            outcomes = {name: None if rng.random() < 0.1 else float(rng.normal()) for name in [*objectives, "g"]}
            ending = rng.random()
            if ending < 0.1:
                opt.cancel(trial)
            else:
                opt.tell(trial, cas.FAILED if ending < 0.2 else outcomes)
    kept = [tuple(t.configuration.values()) for t in opt.trials if t.status in ("pending", "complete")]
    assert len(set(kept)) == len(kept)
    again = cas.Optimizer.from_json(opt.to_json())
    assert again.trials == opt.trials
    assert again.pareto_front == opt.pareto_front
    assert again.ask() == opt.ask()
