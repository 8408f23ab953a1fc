import pytest

import casmopolitan as cas
from benchmarks.peers import load
from benchmarks.peers.ours import config_named

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
        ("optuna-tpe", "optuna"),
        ("optuna-tpe-liar", "optuna"),
        ("hyperopt", "hyperopt"),
        ("smac-gp", "smac"),
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
