import itertools

import numpy as np
import pytest

from casmopolitan import problems
from casmopolitan.problems.labs import BEST, energy, sequence

ENERGY = {13: 6, 20: 26, 25: 36, 30: 59, 35: 73, 40: 108, 45: 118, 50: 153}


def test_barkers_thirteen_have_merit_fourteen():
    barker = [1, 1, 1, 1, 1, -1, -1, 1, 1, -1, 1, -1, 1]
    problem = problems.get("labs-13")
    assert problem(dict(zip(problem.space.names, barker, strict=True))) == pytest.approx(-169 / 12)


@pytest.mark.parametrize("n", BEST)
def test_the_best_sequences_have_the_proven_energies(n):
    signs = sequence(BEST[n])
    assert len(signs) == n
    assert energy(np.array(signs, dtype=float)) == ENERGY[n]


def test_fifty_signs_reach_the_published_merit():
    problem = problems.get("labs-50")
    assert round(problem(problem.optimum.configuration), 5) == -8.16993
    assert problem.optimum.exact


def test_the_energy_is_the_double_sum():
    signs = np.random.default_rng(0).choice([-1.0, 1.0], 23)
    shifts = [sum(signs[j] * signs[j + k] for j in range(23 - k)) for k in range(1, 23)]
    assert energy(signs) == pytest.approx(sum(c**2 for c in shifts))


def test_enumeration_finds_the_known_energy_of_thirteen():
    assert min(energy(np.array((1.0, *s))) for s in itertools.product((-1.0, 1.0), repeat=12)) == ENERGY[13]


def test_a_length_without_a_stored_sequence_has_no_optimum():
    assert problems.get("labs-49").optimum is None
