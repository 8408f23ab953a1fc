import itertools

import numpy as np
import pytest

from casmopolitan import problems
from casmopolitan.problems.ising import divergence, grid, log_partition


def grid_edges(side: int) -> list[tuple[int, int]]:
    """Horizontal edges row by row, then vertical ones."""
    across = [(side * r + c, side * r + c + 1) for r in range(side) for c in range(side - 1)]
    return across + [(side * r + c, side * (r + 1) + c) for r in range(side - 1) for c in range(side)]


def log_weights(side: int, couplings: np.ndarray) -> np.ndarray:
    """2 Σ_e J_e s_a s_b for every state."""
    states = np.array(list(itertools.product((-1, 1), repeat=side * side)))
    return 2 * sum(J * states[:, a] * states[:, b] for J, (a, b) in zip(couplings, grid_edges(side), strict=True))


@pytest.mark.parametrize("side", [2, 3, 4])
def test_the_partition_function_is_the_sum_over_all_states(side):
    couplings = np.random.default_rng(side).normal(size=2 * side * (side - 1))
    assert log_partition(side, couplings) == pytest.approx(np.log(np.exp(log_weights(side, couplings)).sum()))


@pytest.mark.parametrize("side", [2, 3, 4])
def test_the_divergence_is_the_definition_over_all_states(side):
    instance = grid(side, 5)
    x = np.random.default_rng(0).integers(0, 2, len(instance.couplings)).astype(float)
    log_p = log_weights(side, instance.couplings)
    log_q = log_weights(side, instance.couplings * x)
    log_p -= np.log(np.exp(log_p).sum())
    log_q -= np.log(np.exp(log_q).sum())
    assert divergence(x, instance) == pytest.approx(np.sum(np.exp(log_p) * (log_p - log_q)), rel=1e-9)


def test_couplings_have_both_signs_and_the_published_range():
    couplings = grid(4, 0).couplings
    assert len(couplings) == 24
    assert {-1.0, 1.0} == set(np.sign(couplings))
    assert np.abs(couplings).min() >= 0.05
    assert np.abs(couplings).max() <= 5


def test_keeping_every_edge_costs_nothing_but_the_penalty():
    problem = problems.get("ising-24-lambda0")
    assert problem(dict.fromkeys(problem.space.names, 1)) == pytest.approx(0, abs=1e-9)
    assert problem.optimum.exact


@pytest.mark.parametrize("penalty", ["0.0001", "0.01"])
def test_the_stored_optimum_of_twelve_edges_is_the_least_of_all(penalty):
    problem = problems.get(f"ising-12-lambda{penalty}")
    every = (dict(zip(problem.space.names, x, strict=True)) for x in itertools.product((0, 1), repeat=12))
    assert min(map(problem.function, every)) == pytest.approx(problem.optimum.value, abs=1e-12)


@pytest.mark.parametrize("penalty", ["0.0001", "0.01"])
def test_no_two_flips_improve_the_stored_optimum_of_twenty_four_edges(penalty):
    problem = problems.get(f"ising-24-lambda{penalty}")
    best = problem.optimum.configuration
    flips = itertools.chain(itertools.combinations(best, 1), itertools.combinations(best, 2))
    near = ({**best, **{name: 1 - best[name] for name in flip}} for flip in flips)
    assert min(map(problem.function, near)) > problem.optimum.value
