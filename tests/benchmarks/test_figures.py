import pytest

from benchmarks.figures import band
from benchmarks.series import Series


@pytest.mark.parametrize(("end", "regret"), [(1.0 + 4e-10, 0.0), (1.0 + 1e-6, 1e-6), (1.0 - 1e-12, 0.0)])
def test_a_regret_beneath_the_digits_that_results_keep_is_none(record, end, regret):
    one = record(best=[[1, 9.0], [100, end]])
    _, mean, error = band(Series("pest-25", "default", {0: one}), 1.0)
    assert mean[-1] == pytest.approx(regret, rel=1e-3)
    assert error[-1] == 0.0
