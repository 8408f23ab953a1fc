from dataclasses import replace

import optuna
import pytest

import casmopolitan as cas
from casmopolitan.study import CasmopolitanSampler, distributions_of
from casmopolitan.study.sampler import claim, records, sampler

NINE = cas.Space({"x": cas.Categorical([0, 1, 2]), "y": cas.Categorical([0, 1, 2])})


@pytest.fixture
def study():
    return optuna.create_study(sampler=CasmopolitanSampler(NINE, seed=0))


@pytest.fixture(autouse=True)
def pauses(monkeypatch):
    """The seconds for which workers waited, without waiting for them: the clock jumps instead."""
    waited, clock = [], claim.time.monotonic
    monkeypatch.setattr(claim.time, "sleep", waited.append)
    monkeypatch.setattr(claim.time, "monotonic", lambda: clock() + sum(waited))
    return waited


def new_trial(study):
    return study._storage.get_trial(study._storage.create_new_trial(study._study_id))


def rivalled(study, monkeypatch, finish, times):
    """Before a claim is written, a rival writes the same one: both had read before either wrote."""
    rivals, write = [], records.write

    def late(storage, trial_id, record, writing=0):
        if len(rivals) < times:
            rival = new_trial(study)
            rivals.append(rival)
            write(storage, rival._trial_id, record)
            if finish:
                for name, value in study.sampler._declared.params(
                    sampler.suggestion_of(study._storage.get_trial(rival._trial_id), study.sampler._declared).point
                ).items():
                    distribution = distributions_of(NINE)[name]
                    internal = distribution.to_internal_repr(value)
                    storage.set_trial_param(rival._trial_id, name, internal, distribution)
                storage.set_trial_state_values(rival._trial_id, optuna.trial.TrialState.COMPLETE, [1.0])
        write(storage, trial_id, record, writing)

    monkeypatch.setattr(records, "write", late)
    return rivals


@pytest.mark.parametrize("finish", [False, True])
@pytest.mark.parametrize("times", [1, 3])
def test_whoever_sees_an_equal_claim_chooses_again(study, monkeypatch, finish, times):
    rivals = rivalled(study, monkeypatch, finish, times)
    mine = study.ask(distributions_of(NINE)).params
    assert len(rivals) == times
    translation = study.sampler._declared
    theirs = [
        translation.params(sampler.suggestion_of(study._storage.get_trial(rival._trial_id), translation).point)
        for rival in rivals
    ]
    assert mine not in theirs
    assert len({tuple(one.values()) for one in theirs}) == times


def test_the_last_writing_is_the_one_recorded(study, monkeypatch):
    rivalled(study, monkeypatch, False, 2)
    trial = study.ask(distributions_of(NINE))
    kept = sampler.suggestion_of(study._storage.get_trial(trial._trial_id), study.sampler._declared)
    assert study.sampler._declared.params(kept.point) == trial.params


def test_a_noisy_objective_may_be_asked_the_same_twice(monkeypatch):
    study = optuna.create_study(sampler=CasmopolitanSampler(NINE, seed=0, noisy=True))
    rivals = rivalled(study, monkeypatch, False, 5)
    study.ask(distributions_of(NINE))
    assert len(rivals) == 1


def test_without_rivals_nobody_waits(study, pauses):
    for _ in range(5):
        study.ask(distributions_of(NINE))
    assert pauses == []


def test_of_undecided_claims_the_lowest_number_stays_when_the_others_leave(study, monkeypatch, pauses):
    rivals, translation = rivalled(study, monkeypatch, False, 1), study.sampler._declared
    first, wanted = new_trial(study), []

    def leave(seconds):
        """Meanwhile the rival sees the collision and chooses another point."""
        pauses.append(seconds)
        wanted.append(
            translation.params(sampler.suggestion_of(study._storage.get_trial(rivals[0]._trial_id), translation).point)
        )
        codes = [(code + 1) % 3 for code in wanted[0].values()]
        other = {"h": codes, "x": [], "region": 0, "source": "initial"}
        records.write(study._storage, rivals[0]._trial_id, {"space": translation.fingerprint, "suggestion": other}, 1)

    monkeypatch.setattr(claim.time, "sleep", leave)
    mine = study.sampler.sample_relative(study, first, distributions_of(NINE))
    assert rivals[0].number > first.number
    assert pauses == [claim.POLL_INTERVAL]
    assert [mine] == wanted


def test_a_rival_that_never_leaves_is_left_in_the_end(study, monkeypatch, pauses):
    rivals = rivalled(study, monkeypatch, False, 1)
    first = new_trial(study)
    mine = study.sampler.sample_relative(study, first, distributions_of(NINE))
    kept = sampler.suggestion_of(study._storage.get_trial(rivals[0]._trial_id), study.sampler._declared)
    assert mine != study.sampler._declared.params(kept.point)
    assert sum(pauses) > claim.LONGEST_WAIT / 2  # the looks between the pauses take time of their own


def test_later_ones_choose_one_after_the_other(study, monkeypatch, pauses):
    write, before = records.write, [new_trial(study) for _ in range(3)]
    mine = new_trial(study)

    def crowd(storage, trial_id, record, writing=0):
        if writing == 0:
            for other in before:
                write(storage, other._trial_id, record)
        write(storage, trial_id, record, writing)

    monkeypatch.setattr(records, "write", crowd)
    study.sampler.sample_relative(study, mine, distributions_of(NINE))
    assert len(pauses) == 1
    assert 0 < pauses[0] <= claim.LONGEST_WAIT


MIXED = cas.Space({"c": cas.Categorical(["a", "b"]), "x": cas.Real(0.0, 1.0)})


def test_two_workers_that_ask_at_once_get_points_that_are_apart(monkeypatch):
    study = optuna.create_study(sampler=CasmopolitanSampler(MIXED, seed=0))
    study.optimize(
        lambda trial: (trial.suggest_float("x", 0, 1) - 0.6) ** 2 + (trial.suggest_categorical("c", "ab") == "a"), 14
    )
    first, second = new_trial(study), new_trial(study)
    write, other = records.write, CasmopolitanSampler(MIXED, seed=0)
    theirs = []

    def both(storage, trial_id, record, writing=0):
        """The second worker reads before the first has written, and writes before it reads again."""
        if not theirs:
            theirs.append(None)
            theirs[0] = other.sample_relative(study, second, distributions_of(MIXED))
        write(storage, trial_id, record, writing)

    monkeypatch.setattr(records, "write", both)
    mine = study.sampler.sample_relative(study, first, distributions_of(MIXED))
    assert mine["c"] != theirs[0]["c"] or abs(mine["x"] - theirs[0]["x"]) > 0.01


def test_near_claims_that_were_known_are_kept_if_the_space_is_full(pauses):
    config = replace(cas.DEFAULT, apart=0.3)
    study = optuna.create_study(sampler=CasmopolitanSampler(MIXED, seed=0, config=config))
    asked = [tuple(study.ask(distributions_of(MIXED)).params.values()) for _ in range(20)]
    assert len(set(asked)) == 20
    assert pauses == []


def test_a_point_near_a_finished_trial_that_was_known_is_chosen_once(monkeypatch):
    config = replace(cas.DEFAULT, apart=0.3)
    study = optuna.create_study(sampler=CasmopolitanSampler(MIXED, seed=0, config=config))
    written, write = [], records.write
    monkeypatch.setattr(records, "write", lambda *given, **more: (written.append(given[1]), write(*given, **more)))
    for value in range(20):
        study.tell(study.ask(distributions_of(MIXED)), value)
    assert len(written) == len(set(written)) == 20
