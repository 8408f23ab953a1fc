import itertools

import numpy as np
import pytest

from casmopolitan import problems
from casmopolitan.problems.contamination import BEST, chain, contamination, costs

VALUES = {  # seed: the optimum at λ = 0, 1e-4, 1e-2
    42: (21.29, 21.2915, 21.44),
    621: (21.11, 21.1116, 21.27),
    8919: (21.18, 21.1815, 21.33),
    2362: (21.06, 21.0616, 21.22),
    2303: (21.33, 21.3316, 21.49),
    6555: (21.06, 21.0616, 21.22),
    0: (21.16, 21.1616, 21.32),
}


def written_out(x: list[int], seed: int, penalty: float) -> float:
    """The definition, one simulation and one stage at a time."""
    z = np.random.RandomState(seed).beta(1, 30, 100)
    spread = np.random.RandomState(seed).beta(1, 17 / 3, (len(x), 100))
    effect = np.random.RandomState(seed).beta(1, 3 / 7, (len(x), 100))
    total = 0.0
    for i, treated in enumerate(x):
        z = [(1 - effect[i, k]) * z[k] if treated else spread[i, k] * (1 - z[k]) + z[k] for k in range(100)]
        total += treated - (sum(value < 0.1 for value in z) / 100 - 0.95)
    return total + penalty * sum(x)


@pytest.mark.parametrize("seed", VALUES)
@pytest.mark.parametrize("column", [0, 1, 2])
def test_the_optima_have_their_published_values(seed, column):
    problem = contamination(seed=seed, penalty=(0.0, 1e-4, 1e-2)[column])
    assert problem.optimum.exact
    assert problem(problem.optimum.configuration) == problem.optimum.value
    assert round(problem.optimum.value, 4) == VALUES[seed][column]


def test_the_mean_optimum_of_the_five_combo_seeds_is_as_published():
    for penalty, mean in ((0.0, 21.148), (1e-2, 21.306)):
        found = [contamination(seed=s, penalty=penalty).optimum.value for s in (621, 8919, 2362, 2303, 6555)]
        assert round(float(np.mean(found)), 3) == mean


def test_all_ones_and_all_zeros_of_the_default_instance_have_their_published_values():
    problem = problems.get("contamination-25")
    assert round(problem(dict.fromkeys(problem.space.names, 1)), 2) == 24.00
    assert round(problem(dict.fromkeys(problem.space.names, 0)), 2) == 23.22


@pytest.mark.parametrize("seed", [42, 621])
def test_costs_are_the_definition_written_out(seed):
    x = np.random.default_rng(seed).integers(0, 2, (5, 25))
    found = costs(x.astype(float), chain(25, seed), 1e-4)
    assert found == pytest.approx([written_out(list(row), seed, 1e-4) for row in x], abs=1e-9)


def test_no_neighbour_within_two_flips_of_an_optimum_is_better():
    for seed, bits in BEST.items():
        best = np.array(list(map(float, bits)))
        flips = [list(pair) for r in (1, 2) for pair in itertools.combinations(range(25), r)]
        near = np.array([np.where(np.isin(np.arange(25), flip), 1 - best, best) for flip in flips])
        assert costs(near, chain(25, seed), 1e-2).min() >= costs(best[None], chain(25, seed), 1e-2)[0] - 1e-9


def test_enumerating_ten_stages_finds_the_optimum_of_the_definition_written_out():
    problem = contamination(10, seed=621)
    x = np.array(list(itertools.product((0, 1), repeat=10)))
    values = costs(x.astype(float), chain(10, 621), 1e-2)
    assert values == pytest.approx([written_out(row.tolist(), 621, 1e-2) for row in x], abs=1e-9)
    best = dict(zip(problem.space.names, x[values.argmin()].tolist(), strict=True))
    assert problem(best) == pytest.approx(values.min(), abs=1e-12)


def test_the_noisy_variant_has_the_same_optimum_and_noise_of_variance_one_hundredth():
    problem = problems.get("contamination-25-noisy")
    best = problem.optimum.configuration
    draws = np.array([problem(best) for _ in range(400)]) - 21.44
    assert problem.optimum.value == pytest.approx(21.44)
    assert abs(draws.mean()) < 0.02
    assert draws.std() == pytest.approx(0.1, rel=0.15)


def test_unknown_instances_have_no_optimum():
    assert contamination(seed=7).optimum is None
    assert contamination(24).optimum is None
    assert contamination(penalty=0.5).optimum is None
