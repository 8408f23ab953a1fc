import subprocess
import sys

import pytest

from casmopolitan import problems
from casmopolitan.errors import CasmopolitanError, UnknownProblemError
from casmopolitan.problems.contamination import contamination
from casmopolitan.problems.quadratic import bqp
from casmopolitan.problems.registry import FAMILIES

EXPECTED = [
    "contamination-25",
    "contamination-25-noisy",
    "pest-25",
    "pest-80",
    "maxsat-60",
    "func2c",
    "func3c",
    "ackley-53",
    "rosenbrock-200",
    "branin-51",
    "levy-20",
    "xgboost-digits",
    "attack-digits",
    "labs-50",
]


@pytest.mark.parametrize("name", problems.names())
def test_every_listed_name_gives_a_minimisation_problem_of_that_name(name):
    problem = problems.get(name)
    assert problem.name == name
    assert problem.direction == "minimize"
    assert problem.source


@pytest.mark.parametrize("name", problems.names())
def test_every_listed_space_round_trips(name):
    space = problems.get(name).space
    drawn = space.sample(10, 0)
    again = space.decode(space.encode(drawn))
    assert [list(c) for c in again] == [list(space.names)] * 10
    for one, other in zip(drawn, again, strict=True):
        assert all(other[k] == pytest.approx(v) if isinstance(v, float) else other[k] == v for k, v in one.items())


@pytest.mark.parametrize(
    "name", [n for n in problems.names() if problems.get(n).optimum and not n.startswith("rna") and "noisy" not in n]
)
def test_every_optimum_is_attained_and_beats_random_points(name):
    problem = problems.get(name)
    value = problem(problem.optimum.configuration)
    assert value == pytest.approx(problem.optimum.value, abs=1e-12)
    assert problem.solved(value)
    assert min(problem(c) for c in problem.space.sample(30, 0)) >= problem.optimum.value - 1e-12


def test_the_names_of_the_papers_problems_are_listed():
    assert set(EXPECTED) <= set(problems.names())
    assert len(set(problems.names())) == len(problems.names())


def test_options_come_in_any_order_and_reach_the_builder():
    a = problems.get("contamination-25-seed621-lambda1e-4-noisy")
    b = problems.get("contamination-25-noisy-lambda0.0001-seed621")
    assert a.name == b.name == "contamination-25-seed621-lambda0.0001-noisy"
    assert a.optimum.value == b.optimum.value == contamination(seed=621, penalty=1e-4).optimum.value
    assert problems.get("bqp-8-alpha100-lambda0.5-seed3").name == bqp(8, seed=3, alpha=100, penalty=0.5).name
    assert problems.get("contamination-25-lambda1e-5").name == "contamination-25-lambda1e-05"
    assert problems.get("contamination-25-lambda1e-05").name == "contamination-25-lambda1e-05"


def test_what_is_left_out_has_its_default():
    assert problems.get("pest").name == "pest-25"
    assert problems.get("maxcut-johnson-seed2").name == "maxcut-johnson-seed2"
    assert len(problems.get("labs-17").space) == 17


def test_an_at_sign_relocates():
    assert problems.get("pest-25@1").name == "pest-25@1"
    assert problems.get("pest-25@1@2").name == "pest-25@1@2"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("pest25", "Did you mean 'pest-25'"),
        ("contaminaton-25", "Did you mean 'contamination-25'"),
        ("pest-25-sed3", r"cannot read '-sed3'.*pest\[-stages\]\[-seedN\]"),
        ("pest-25-seed", "cannot read '-seed'"),
        ("pest-25-seed1.5", "cannot read '-seed1.5'"),
        ("pest-25-seed1-seed2", "cannot read '-seed2'"),
        ("pest-25-30", "cannot read '-30'"),
        ("contamination-25-noisy3", "cannot read '-noisy3'"),
        ("pest-", "cannot read '-'"),
        ("pest-25@x", "seed of a relocation"),
        ("", "No problem is called ''"),
    ],
)
def test_an_unknown_name_says_what_could_have_been_meant(name, said):
    with pytest.raises(UnknownProblemError, match=said):
        problems.get(name)


def test_unknown_names_are_caught_as_key_errors_too():
    with pytest.raises(KeyError):
        problems.get("nonsense")
    with pytest.raises(CasmopolitanError):
        problems.get("nonsense")


@pytest.mark.parametrize(
    "name", ["ackley-3", "rosenbrock-7", "branin-1", "labs-1", "ising-7", "maxcut-2", "svr-10", "sfu-levy-1"]
)
def test_an_impossible_size_is_refused_by_name(name):
    with pytest.raises(CasmopolitanError, match=name):
        problems.get(name)


def test_importing_the_package_builds_and_imports_no_family():
    families = sorted({family.module for family in FAMILIES})
    program = (
        "import sys, casmopolitan.problems as p; p.names(); "
        f"print([m for m in {families} if 'casmopolitan.problems.' + m in sys.modules], "
        "[m for m in ('sklearn', 'xgboost', 'RNA') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] []"


def test_an_attribute_that_does_not_exist_is_named():
    with pytest.raises(AttributeError, match="pets"):
        _ = problems.pets
