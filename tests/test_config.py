from __future__ import annotations

import json
import math
from dataclasses import fields, replace

import numpy as np
import pytest

from casmopolitan import ABLATIONS, AUTHORS_CODE, DEFAULT, PAPER, Config, ConfigError
from casmopolitan.config import seed_problems


@pytest.mark.parametrize("config", [PAPER, DEFAULT, AUTHORS_CODE, *ABLATIONS.values()])
def test_a_config_survives_json(config):
    assert Config.from_dict(json.loads(json.dumps(config.to_dict()))) == config


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_initial", 0),
        ("n_initial", 2.5),
        ("n_initial", True),
        ("search_steps", "many"),
        ("restart_candidates", 0),
        ("ard", "yes"),
        ("trust_region", 1),
        ("kernel", "rbf"),
        ("acquisition", ["ei"]),
        ("targets", None),
        ("trade_off", 1.5),
        ("trade_off", "free"),
        ("trade_off", math.nan),
        ("lengthscale_bounds", (0.5, 0.1)),
        ("noise_bounds", (0.0, 0.1)),
        ("noise_bounds", 0.1),
        ("outputscale_bounds", (1, 2, 3)),
        ("outputscale_bounds", (1, math.inf)),
        ("factor", 1.0),
        ("factor", math.inf),
        ("success_margin", -0.1),
        ("exploration", math.nan),
        ("restart_exploration", "theories"),
        ("restart_exploration", -1.0),
        ("minimum_radius", -1),
        ("initial_radius", 0),
        ("initial_radius", 2.0),
        ("initial_length", 2.0),
        ("minimum_length", 0.0),
        ("minimum_length", 0.9),
        ("fit_rate", 0.0),
        ("rate_level", 0),
        ("rate_level", 5e-324),
        ("rate_level", "low"),
        ("search_rate", -1),
    ],
)
def test_a_setting_out_of_its_range_is_named(name, value):
    with pytest.raises(ConfigError, match=name):
        replace(Config(), **{name: value})


def test_all_problems_are_said_at_once():
    with pytest.raises(ConfigError) as caught:
        Config(n_initial=0, kernel="rbf", factor=0.5)
    assert len(caught.value.problems) == 3
    assert "'categorical', 'overlap', 'heat', 'one-hot'" in str(caught.value)


def test_an_unknown_setting_is_named():
    with pytest.raises(ConfigError, match=r"unknown setting 'n_inital'\. Did you mean 'n_initial'\?"):
        Config.from_dict({"n_inital": 3})
    with pytest.raises(ConfigError, match="dict"):
        Config.from_dict(["n_initial"])


def test_a_config_cannot_be_changed():
    with pytest.raises(AttributeError):
        PAPER.n_initial = 3


def test_bounds_may_pin_a_parameter():
    assert Config(noise_bounds=(1e-4, 1e-4)).noise_bounds == (1e-4, 1e-4)


def test_every_setting_says_what_it_is():
    source = __import__("inspect").getsource(Config)
    for field in fields(Config):
        declared = source.index(f"    {field.name}: ")
        assert source[declared:].split("\n")[1].startswith('    """'), field.name


def test_settings_kept_before_a_field_existed_read_as_the_papers():
    kept = DEFAULT.to_dict()
    del kept["mean"]
    assert Config.from_dict(kept) == replace(DEFAULT, mean="zero")


def test_numbers_and_lists_of_other_kinds_become_plain_ones():
    config = replace(
        PAPER, n_initial=np.int64(7), global_every=np.int32(3), noise_bounds=[1e-6, np.float32(0.5)], factor=np.float32(2)
    )
    assert (type(config.n_initial), config.global_every, config.noise_bounds) == (int, 3, (1e-6, 0.5))
    assert (type(config.factor), config.factor) == (float, 2.0)
    assert Config.from_dict(json.loads(json.dumps(config.to_dict()))) == config
    assert hash(config) is not None


def test_one_is_not_true():
    with pytest.raises(ConfigError, match="ard is 1"):
        replace(PAPER, ard=1)


def test_a_config_shows_what_is_not_the_papers():
    assert repr(Config()) == "Config()"
    assert repr(Config(n_initial=5, kernel="heat")) == "Config(n_initial=5, kernel='heat')"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rate_spread", 1e300),
        ("lengthscale_bounds", (1e-300, 1e300)),
        ("exploration", 1e300),
        ("rate_level", 1e12),
        ("factor", 1e10),
        ("restart_exploration", 1e10),
        ("n_initial", 10**10),
    ],
)
def test_settings_that_would_overflow_are_refused(name, value):
    with pytest.raises(ConfigError, match=f"{name} is .*1,000,000,000"):
        replace(DEFAULT, **{name: value})


def test_a_seed_of_5000_digits_is_refused_without_writing_it_out():
    assert seed_problems(2**128 - 1) == []
    (problem,) = seed_problems(10**5000)
    assert "16610 bits" in problem
