import pytest

from benchmarks import descriptions


@pytest.mark.parametrize("kind", descriptions.KINDS[descriptions.PLANTED])
def test_a_planted_function_is_the_same_whatever_describes_its_choices(kind):
    space, function = descriptions.planted(3, kind)
    _, plain = descriptions.planted(3, "none")
    every = space.decode(space.domain.every_point())
    values = [function(configuration) for configuration in every]
    assert max(values) == pytest.approx(100.0)
    assert sum(values) / len(values) == pytest.approx(0.0, abs=1e-9)
    assert values == [plain(configuration) for configuration in every]
    assert len(space.domain.described) == (0 if kind == "none" else descriptions.VARIABLES)


def test_permuted_descriptors_belong_to_other_choices():
    own, permuted = (descriptions.planted(3, kind)[0]["c0"].descriptors for kind in ("own", "permuted"))
    assert own != permuted
    assert sorted(own) == sorted(permuted)


def test_the_summary_has_a_row_per_problem_and_kind():
    best = {str(n): 50.0 for n in descriptions.AT}
    records = [{"problem": descriptions.PLANTED, "kind": "own", "seed": seed, "best": best} for seed in range(3)]
    assert "| planted | own | 50.0 ± 0.0 |" in descriptions.summary(records)
