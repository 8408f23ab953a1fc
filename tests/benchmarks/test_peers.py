from itertools import combinations

import numpy as np
import pytest

import casmopolitan as cas
from benchmarks.peers import load
from benchmarks.peers.ours import config_named
from benchmarks.peers.true_prior import covariance

SPACE = cas.Space(
    {
        "kind": cas.Categorical(["a", None, True]),
        "size": cas.Ordinal([32, 64, 256]),
        "layers": cas.Integer(1, 40, log=True),
        "rate": cas.Real(1e-4, 1.0, log=True),
        "x": cas.Real(-1.0, 1.0),
    }
)


def loss(configuration):
    return configuration["x"] ** 2 + (configuration["kind"] is not None) + configuration["layers"] / 40


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("method", "package"),
    [
        ("random", "numpy"),
        ("default", "numpy"),
        ("bo", "numpy"),
        ("turbo", "numpy"),
        ("rembo", "numpy"),
        ("alebo", "numpy"),
        ("optuna-tpe", "optuna"),
        ("optuna-tpe-liar", "optuna"),
        ("hyperopt", "hyperopt"),
        ("mvrsm", "numpy"),
        ("smac-gp", "smac"),
        ("cocabo", "numpy"),
        ("optuna-gp", "torch"),
        ("hebo", "hebo"),
        ("botorch", "botorch"),
        ("ax", "ax"),
    ],
)
def test_every_method_takes_the_initial_points_and_suggests_points_of_the_space(method, package):
    pytest.importorskip(package)
    initial = [(configuration, loss(configuration)) for configuration in SPACE.sample(20, 1)]
    started = load(method)(SPACE, initial, 0)
    for count in (1, 2):
        configurations = started.ask(count)
        assert len(configurations) == count
        for configuration in configurations:
            SPACE.validate(configuration)
        started.tell(configurations, [loss(configuration) for configuration in configurations])


def test_our_presets_are_found_by_name_with_fields_changed():
    assert config_named("paper") == cas.PAPER
    assert config_named("CatKer+TR") == cas.ABLATIONS["CatKer+TR"]
    changed = config_named("default:failure_tolerance=7:noise_bounds=[1e-6,0.2]")
    assert (changed.failure_tolerance, changed.noise_bounds) == (7, (1e-6, 0.2))


def test_the_true_prior_is_the_covariance_of_a_sum_over_pairs():
    rng = np.random.default_rng(0)
    a, b = rng.choice([-1.0, 1.0], 7), rng.choice([-1.0, 1.0], 7)
    pairs = list(combinations(range(7), 2))
    assert covariance(a @ b, 7) == pytest.approx(np.mean([a[i] * a[j] * b[i] * b[j] for i, j in pairs]))
    assert covariance(a @ a, 7) == 1.0


def test_who_is_told_the_true_prior_finds_the_least_cut_and_tries_nothing_twice():
    J = np.triu(np.random.default_rng(1).standard_normal((10, 10)), 1)
    space = cas.Space({f"s{i}": cas.Categorical(["no", "yes"]) for i in range(10)})

    def cut(configuration):
        z = np.array([1.0 if value == "yes" else -1.0 for value in configuration.values()])
        return float(z @ J @ z)

    every = [dict(zip(space, ("yes" if code >> i & 1 else "no" for i in range(10)), strict=True)) for code in range(1024)]
    drawn = np.random.default_rng(2).permutation(1024)[:20]
    tried = [(every[code], cut(every[code])) for code in drawn]
    method = load("true-prior")(space, tried, 0)
    for _ in range(40):
        (configuration,) = method.ask(1)
        assert configuration not in [known for known, _ in tried]
        tried.append((configuration, cut(configuration)))
        method.tell([configuration], [tried[-1][1]])
    assert min(value for _, value in tried) == pytest.approx(min(map(cut, every)))


def test_the_true_prior_is_one_of_switches_alone():
    with pytest.raises(SystemExit, match="two choices a variable"):
        load("true-prior")(cas.Space({"a": cas.Categorical([1, 2, 3])}), [], 0)
