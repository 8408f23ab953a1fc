from __future__ import annotations

from dataclasses import fields

from casmopolitan import AUTHORS_CODE, DEFAULT, PAPER, Config
from casmopolitan.presets import PAPER_ARD


def differing(config, other=PAPER):
    return {f.name for f in fields(config) if getattr(config, f.name) != getattr(other, f.name)}


def test_the_paper_is_every_default():
    assert Config() == PAPER


def test_the_other_reading_of_ard_differs_in_that_alone():
    assert differing(PAPER_ARD) == {"ard"}
    assert PAPER_ARD.ard is True


def test_the_authors_code_differs_where_findings_say_so():
    settings = {name: getattr(AUTHORS_CODE, name) for name in differing(AUTHORS_CODE)}
    assert settings == {
        "ard": False,
        "lengthscale_bounds": (0.01, 2.5),
        "noise_bounds": (1e-6, 0.1),
        "targets": "copula",
        "fit_starts": 1,
        "fit_steps": 300,
        "fit_rate": 0.03,
        "success_tolerance": 3,
        "success_margin": 1e-3,
        "minimum_radius": 1,
        "acquisition": "augmented-ei",
        "incumbent": "mean",
        "search_steps": 200,
    }


def test_the_default_is_for_deterministic_objectives():
    assert not DEFAULT.noisy
