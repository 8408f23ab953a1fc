import casmopolitan as cas
from benchmarks import past

SPACE = cas.Space({"a": cas.Categorical(list(range(40)))})


def problem(configuration):
    return float(configuration["a"] + int(configuration[past.TASK]))


def test_earlier_studies_are_a_tenth_of_the_rows_of_each_other_task():
    own, permuted = (past.studies(problem, SPACE, 0, permuted) for permuted in (False, True))
    assert [len(rows) for rows in own.values()] == [4, 4]
    assert all(value == row["a"] + 90 for row, value in own["90 degrees"])
    assert any(value != row["a"] + 90 for row, value in permuted["90 degrees"])


def test_the_summary_has_a_row_per_kind():
    best = {str(n): 50.0 for n in past.AT}
    assert "| earlier | 50.0 ± 0.0 |" in past.summary([{"kind": "earlier", "seed": s, "best": best} for s in range(3)])
