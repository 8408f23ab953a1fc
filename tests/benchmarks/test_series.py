import numpy as np
import pytest

from benchmarks.series import series_of, title


def test_the_best_so_far_is_read_off_the_improvements(record):
    series = series_of([record()])["pest-25"]["default"]
    assert [series.at(n)[0] for n in (1, 29, 30, 119, 120, 200)] == [9.0, 9.0, 5.0, 5.0, 2.0, 2.0]


def test_curves_start_after_the_initial_points_and_end_where_every_seed_came(record):
    runs = [record(seed=0), record(seed=1, evaluations=150, status="capped")]
    evaluations, losses = series_of(runs)["pest-25"]["default"].curves()
    assert (evaluations[0], evaluations[-1]) == (20, 150)
    assert losses.shape == (2, 131)
    assert np.all(np.diff(losses) <= 0)


def test_a_capped_run_says_nothing_beyond_its_end(record):
    series = series_of([record(seed=0), record(seed=1, evaluations=150, status="capped")])["pest-25"]["default"]
    assert list(series.at(150)) == [0, 1]
    assert list(series.at(151)) == [0]


def test_failed_runs_are_left_out_and_the_longer_of_two_runs_counts(record):
    longer = record(budget=400, evaluations=400)
    series = series_of([longer, record(), record(seed=1, status="failed")])["pest-25"]["default"]
    assert series.runs == {0: longer}


def test_maximised_values_become_losses(record):
    best = [[1, 3.0], [50, 7.0]]
    series = series_of([record(direction="maximize", optimum=7.0, best=best)])["pest-25"]["default"]
    assert series.at(60) == {0: -7.0}
    assert (series.optimum, series.solved()) == (-7.0, 1)


@pytest.mark.parametrize(("last", "solved"), [(1.0, 1), (1.00009, 1), (1.001, 0)])
def test_the_optimum_is_found_within_its_slack(record, last, solved):
    assert series_of([record(best=[[1, last]])])["pest-25"]["default"].solved() == solved


def test_batches_and_files_have_names_of_their_own(record):
    series = series_of([record(batch=8, problem="wcnf:/data/johnson8-2-4.wcnf")])
    assert list(series) == ["johnson8-2-4"]
    assert title(*series["johnson8-2-4"]) == "casmopolitan default (batches of 8)"


def test_a_table_loses_its_folder_and_random_points_are_named(record):
    series = series_of(
        [record(problem=problem, start="96") for problem in ("table:gb1", "table:/data/x264.csv", "table:a/gb2.csv.gz")]
    )
    assert list(series) == ["gb1", "x264", "gb2"]
    assert title(*series["gb1"]) == "casmopolitan default (96 random points)"


def test_before_anything_was_measured_the_first_value_counts(record):
    series = series_of([record(initial=0, best=[[3, 9.0], [30, 5.0]])])["pest-25"]["default"]
    assert [series.at(n)[0] for n in (1, 2, 3, 30)] == [9.0, 9.0, 9.0, 5.0]
    evaluations, losses = series.curves()
    assert (evaluations[0], losses[0, 0]) == (1, 9.0)


def test_ours_comes_first_then_our_variants_then_the_peers(record):
    runs = [record(method=method) for method in ("optuna-gp", "paper", "default", "ax")]
    assert list(series_of(runs)["pest-25"]) == ["default", "paper", "ax", "optuna-gp"]
