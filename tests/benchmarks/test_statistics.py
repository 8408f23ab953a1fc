import math

import pytest

from benchmarks.statistics import Pairing, holm, mean_and_error, paired, ranks


def test_holm_steps_down_and_never_lets_a_larger_p_overtake():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_equal_losses_share_a_rank():
    assert ranks({"a": 2.0, "b": 1.0, "c": 2.0}) == {"a": 2.5, "b": 1.0, "c": 2.5}


def test_the_error_is_that_of_the_mean():
    assert mean_and_error([1.0, 3.0]) == (2.0, 1.0)
    assert math.isnan(mean_and_error([1.0])[1])


def test_a_clean_sweep_of_ten_seeds_is_ahead():
    ours, theirs = {s: 1.0 + s for s in range(10)}, {s: 1.5 + 1.1 * s for s in range(10)}
    pairing = paired(ours, theirs)
    assert (pairing.seeds, pairing.better, pairing.worse) == (10, 10, 0)
    assert pairing.p == pytest.approx(2 / 1024)
    assert pairing.verdict(pairing.p) == "ahead"
    assert paired(theirs, ours).verdict(pairing.p) == "behind"


def test_only_common_seeds_are_paired():
    assert paired({0: 1.0, 1: 1.0}, {1: 2.0, 2: 0.0}) == Pairing(seeds=1, better=1, worse=0, p=1.0, means=(1.0, 2.0))
    assert paired({0: 1.0}, {1: 1.0}) is None


def test_rounding_is_a_tie():
    assert paired({0: 12.0, 1: 5.0}, {0: 12.0 + 1e-10, 1: 5.0}) == Pairing(seeds=2, better=0, worse=0, p=1.0, means=(8.5, 8.5))


def test_five_seeds_cannot_show_anything_and_the_verdict_says_so():
    sweep = paired(dict.fromkeys(range(5), 0.0), {s: 1.0 + s for s in range(5)})
    assert sweep.p > 0.05
    assert sweep.verdict(sweep.p) == "too few seeds"
