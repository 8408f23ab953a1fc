import numpy as np
import pytest

from casmopolitan import problems
from casmopolitan.problems.pest import PAPER_SEEDS, pest


def written_out(x: list[int], seed: int) -> float:
    """The definition with every draw from a fresh generator, in the order of events."""
    n = len(x)
    b = [2 / 7, 3 / 7, 3 / 7, 5 / 7]
    z = np.random.RandomState(seed).beta(1, 30, 100)
    paid = exceeded = 0.0
    for action in x:
        exceeded += np.mean(z > 0.1)
        spread = np.random.RandomState(seed).beta(1, 17 / 3, 100)
        if action == 0:
            z = spread * (1 - z) + z
            continue
        j = action - 1
        z = (1 - np.random.RandomState(seed).beta(1, b[j], 100)) * z
        b[j] += (1 / 7, 2.5 / 7, 2 / 7, 0.5 / 7)[j] / n
        paid += (1.0, 0.8, 0.7, 0.5)[j] * (1 - (0.2, 0.3, 0.3, 0.0)[j] / n * x.count(action))
    return paid + exceeded


@pytest.mark.parametrize(("name", "value"), [("pest-25", 12.0316), ("pest-80", 38.98737)])
def test_the_best_known_points_have_their_published_values(name, value):
    problem = problems.get(name)
    n = len(problem.space)
    assert list(problem.optimum.configuration.values()) == [3] * (n - 1) + [0]
    assert not problem.optimum.exact
    assert problem(problem.optimum.configuration) == pytest.approx(value, abs=6e-6)


@pytest.mark.parametrize(("seed", "value"), list(zip(PAPER_SEEDS, (12.0916, 12.0016, 11.9816, 11.9916, 12.0316), strict=True)))
def test_the_authors_seeds_have_their_published_values(seed, value):
    assert round(problems.get(f"pest-25-seed{seed}").optimum.value, 4) == value


@pytest.mark.parametrize(("name", "third", "fourth"), [("pest-25", 12.32, 12.57), ("pest-80", 39.27, 40.07)])
def test_one_pesticide_throughout_has_its_published_value(name, third, fourth):
    problem = problems.get(name)
    assert round(problem(dict.fromkeys(problem.space.names, 3)), 2) == third
    assert round(problem(dict.fromkeys(problem.space.names, 4)), 2) == fourth


def test_random_points_have_the_published_mean_and_spread():
    problem = problems.get("pest-25")
    values = [problem(c) for c in problem.space.sample(2000, 0)]
    assert np.mean(values) == pytest.approx(18.30, abs=0.1)
    assert np.std(values) == pytest.approx(0.79, abs=0.05)


@pytest.mark.parametrize(("stages", "seed"), [(25, 0), (25, 8194), (80, 0), (7, 3)])
def test_the_cached_draws_give_the_definition_written_out(stages, seed):
    problem = pest(stages, seed=seed)
    for configuration in problem.space.sample(5, seed):
        assert problem(configuration) == pytest.approx(written_out(list(configuration.values()), seed), abs=1e-9)


def test_no_single_change_improves_the_best_known_point():
    problem = problems.get("pest-25")
    best = problem.optimum.configuration
    changed = ({**best, name: action} for name in problem.space.names for action in range(5))
    assert min(map(problem, changed)) >= problem.optimum.value - 1e-12
