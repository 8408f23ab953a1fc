import math

import optuna
import pytest
from optuna.trial import TrialState

from casmopolitan.study.sampler import records
from casmopolitan.study.sampler.outcomes import KILLED, StudyGoals, outcome

DOWN, UP = StudyGoals(), StudyGoals((-1.0,))
LIMITED = StudyGoals((-1.0,), ("w", "m"))


def told(state, value=None, **options):
    values = {} if value is None else {"value": value}
    return optuna.create_trial(state=state, params={}, distributions={}, **values, **options)


def complete(value, reported=(), **options):
    return told(TrialState.COMPLETE, value, intermediate_values=dict(enumerate(reported)), **options)


def pruned(*reported):
    last = [value for value in reported[-1:] if not math.isnan(value)]
    return told(TrialState.PRUNED, *last, intermediate_values=dict(enumerate(reported)))


@pytest.mark.parametrize(
    ("trial", "expected"),
    [
        (told(TrialState.COMPLETE, 2.0), -2.0),
        (told(TrialState.COMPLETE, math.inf), None),
        (told(TrialState.COMPLETE, -math.inf), None),
        (told(TrialState.COMPLETE, 2.0, system_attrs={"constraints": [0.5]}), None),
        (told(TrialState.COMPLETE, 2.0, system_attrs={"constraints": [-0.5]}), -2.0),
        (told(TrialState.PRUNED, 3.0), None),
        (told(TrialState.PRUNED), None),
        (told(TrialState.FAIL), KILLED),
        (told(TrialState.FAIL, system_attrs={records.FAILED: True}), None),
    ],
)
def test_what_came_of_a_trial(trial, expected):
    assert outcome(trial, UP) == expected


COMPLETE = [complete(0.9, [5.0, 1.0]), complete(0.5, [4.0, 0.8]), complete(0.3, [3.0, 0.6]), complete(0.1, [2.0, 0.4])]


@pytest.mark.parametrize(
    ("trial", "expected"),
    [
        (pruned(2.3), 2.3),  # an early loss is worse than the final 0.1 of the one that was better then
        (pruned(0.05), 0.5),  # better than all at that step: the median of all, the worse of the two middle ones
        (pruned(9.0, 0.45), 0.45),  # worse than the final 0.1 of the one comparable trial
        (pruned(9.0, 0.7, 0.2), 0.5),  # a step that no trial reported: what they last reported counts
        (told(TrialState.PRUNED, 0.2), 0.5),  # no step at all
        (pruned(math.nan), None),
        (pruned(math.inf), None),
    ],
)
def test_a_pruned_trial_never_looks_better_than_comparable_complete_ones(trial, expected):
    assert outcome(trial, DOWN, COMPLETE) == expected


def test_a_sum_that_grows_counts_with_the_final_sums_of_trials_as_good_at_that_step():
    before = [complete(total, [total / 4, total / 2]) for total in (100.0, 60.0, 40.0, 20.0)]
    assert outcome(pruned(15.0), DOWN, before) == 40.0  # those of 60, 40 and 20 were at 15 or below


def test_larger_values_are_the_better_ones_if_the_study_maximises():
    before = [complete(total, [total / 2]) for total in (0.9, 0.8, 0.2)]
    assert outcome(pruned(0.41), UP, before) == -0.41
    assert outcome(pruned(0.95), UP, before) == -0.8
    assert outcome(pruned(0.1), UP, before) == -0.1


def test_pruned_trials_are_not_compared_with_infeasible_infinite_or_unfinished_ones():
    before = [
        complete(7.0, [1.0]),
        complete(-9.0, [0.0], system_attrs={"constraints": [1.0]}),
        complete(math.inf, [0.0]),
        complete(-math.inf, [0.0]),
        pruned(0.0),
        told(TrialState.FAIL, intermediate_values={0: 0.0}),
    ]
    assert outcome(pruned(1.0), DOWN, before) == 7.0


def test_huge_values_stay_finite():
    assert outcome(pruned(1.0), DOWN, [complete(1.7e308, [0.0]), complete(1.6e308, [0.0])]) == 1.7e308


@pytest.mark.parametrize(
    ("trial", "expected"),
    [
        (complete(2.0, constraints={"m": -3.0, "w": 4.0}), (-2.0, 4.0, -3.0)),
        (complete(2.0, constraints={"w": 4.0}), (-2.0, 4.0, 0.0)),  # what is not set is met, as for Optuna
        (complete(2.0), (-2.0, 0.0, 0.0)),
        (complete(2.0, constraints={"w": -math.inf, "m": 1.0}), (-2.0, 0.0, 1.0)),  # met by an unknown amount
        (complete(2.0, constraints={"w": math.inf, "m": 1.0}), None),
        (complete(math.inf, constraints={"w": 4.0}), (None, 4.0, 0.0)),
        (complete(math.inf, constraints={"w": -4.0}), None),
        (told(TrialState.PRUNED, constraints={"w": 4.0}), (None, 4.0, None)),  # what it would have set is not known
        (told(TrialState.PRUNED, constraints={"w": -4.0}), None),
        (told(TrialState.FAIL, constraints={"w": 4.0}, system_attrs={records.FAILED: True}), None),
        (told(TrialState.FAIL, constraints={"w": 4.0}), KILLED),
    ],
)
def test_a_constraint_is_an_outcome_with_a_limit(trial, expected):
    assert outcome(trial, LIMITED) == expected


def test_the_core_sees_one_limit_per_constraint():
    outcomes = LIMITED.outcomes
    assert (outcomes.objectives, outcomes.others) == (1, 2)
    values = outcomes.array([(9.0, 0.0, -1.0), (9.0, 0.1, -1.0), (9.0, -1.0, 2.0)])
    assert outcomes.feasible(values).tolist() == [True, False, False]
    assert DOWN.outcomes.plain


@pytest.mark.parametrize(
    ("options", "plain", "limited"),
    [
        ({"values": [1.0, 2.0]}, (1.0, -2.0), (1.0, -2.0, 0.0)),
        ({"values": [1.0, 2.0], "constraints": {"w": 3.0}}, None, (1.0, -2.0, 3.0)),
        ({"values": [1.0, math.inf]}, None, None),
        ({"values": [1.0, math.inf], "constraints": {"w": 3.0}}, None, (None, None, 3.0)),
        ({"values": [1.0, 2.0], "state": TrialState.PRUNED}, None, None),
        ({"state": TrialState.PRUNED}, None, None),
    ],
)
def test_several_objectives_are_values_to_minimise(options, plain, limited):
    trial = optuna.create_trial(**options)
    assert outcome(trial, StudyGoals((1.0, -1.0))) == plain
    assert outcome(trial, StudyGoals((1.0, -1.0), ("w",))) == limited
