"""A small study with failures and restarts, its model and its page."""

from __future__ import annotations

import math

import pytest

import casmopolitan as cas
from casmopolitan.analysis.row import TrialRow
from casmopolitan.goals import Goals
from casmopolitan.report.facts import Facts, Found
from casmopolitan.report.model import chances_of_success, summarise_model
from casmopolitan.report.page import render

SPACE = cas.Space(
    {
        "optimiser": cas.Categorical(["sgd", "adam", "rmsprop"]),
        "layers": cas.Ordinal([2, 4, 8]),
        "lr": cas.Real(1e-5, 1e-1, log=True),
        "width": cas.Integer(16, 512, 16),
        "seeded": cas.Categorical([True, False, None]),
        "fixed": cas.Categorical(["one"]),
        "step": cas.Real(0, 1, 0.1),
    }
)
CONFIG = cas.Config(n_initial=8, failure_tolerance=2, initial_radius=2, initial_length=0.1, fit_starts=1, fit_steps=30)


def loss(c):
    if c["optimiser"] == "sgd":
        raise ValueError("diverged")
    return math.log10(c["lr"] / 1e-3) ** 2 + abs(c["layers"] - 4) + abs(c["width"] - 256) / 300


@pytest.fixture(scope="session")
def rows():
    result = cas.minimize(loss, SPACE, 45, seed=1, config=CONFIG)
    return [
        TrialRow(
            t.number, t.status, t.value, t.configuration, t.explanation, error=result.errors.get(t.number), tail="<b>boom</b>"
        )
        for t in result.trials
    ]


@pytest.fixture(scope="session")
def model(rows):
    return summarise_model(rows, SPACE, CONFIG, 1, "minimize")


@pytest.fixture(scope="session")
def text(rows, model):
    configuration = rows[0].configuration
    suggestion = TrialRow(46, "running", None, configuration, {"source": "global", "reason": "To explore."})
    pending = TrialRow(45, "asked", None, configuration, {"source": "acquisition"}, comment="<i>boiled</i>")
    rows = [*rows, pending]
    facts = Facts("a <study>", Goals.of("minimize"), 45, "today", {"seed": 1}, {"casmopolitan": "0.1"}, "What <it> is about")
    chances = chances_of_success(rows, SPACE, CONFIG, 1, facts.goals)
    return render(facts, rows, SPACE, Found([model], chances, [suggestion]))


@pytest.fixture(scope="session")
def space():
    return SPACE


@pytest.fixture(scope="session")
def config():
    return CONFIG
