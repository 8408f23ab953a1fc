"""The report of a run in Python."""

from __future__ import annotations

import builtins

import pytest

import casmopolitan as cas
from casmopolitan import report

SPACE = cas.Space({"solvent": cas.Categorical(["water", "ethanol"]), "n": cas.Integer(1, 9)})
FIRST = {"solvent": "water", "n": 9}


def loss(c):
    if c["solvent"] == "ethanol" and c["n"] > 7:
        raise ValueError("boiled <over>")
    return float((c["solvent"] == "water") + abs(c["n"] - 4))


@pytest.fixture(scope="module")
def result():
    return cas.minimize(loss, SPACE, 14, seed=2, initial=[FIRST], catch=(ValueError,))


def test_a_result_is_written_with_its_suggestions_and_baseline_and_does_not_change(result, tmp_path):
    before = result.optimizer.to_json()
    path = report.write(result, tmp_path / "a.html", name="Solvents <1>", description="Which is best?")
    assert path == tmp_path / "a.html"
    page = path.read_text("utf-8")
    assert result.optimizer.to_json() == before
    for part in ("Solvents &lt;1&gt;", "Which is best?", "Next suggestions", "trial 14", "<span>baseline (trial 0), -"):
        assert part in page
    assert ("boiled &lt;over&gt;" in page) is bool(result.failures)


def test_an_optimiser_with_pending_trials_is_written_and_a_baseline_may_be_given(tmp_path):
    optimizer = cas.Optimizer(SPACE, seed=0)
    for configuration in SPACE.sample(6, 0):
        optimizer.tell(configuration, loss(configuration | {"n": min(configuration["n"], 7)}))
    told = optimizer.trials[0].configuration
    asked = optimizer.ask()
    page = report.write(optimizer, tmp_path / "a.html", baseline=told).read_text("utf-8")
    assert f"trial {asked.number}, reserved" in page
    assert "baseline (trial 0)" in page
    assert [trial.number for trial in optimizer.pending] == [asked.number]


def test_an_optimiser_without_trials_and_an_exhausted_space_make_a_page(tmp_path):
    space = cas.Space({"a": cas.Categorical(["x", "y"])})
    assert "No trial has been completed yet" in report.write(cas.Optimizer(space, seed=0), tmp_path / "a.html").read_text(
        "utf-8"
    )
    done = cas.minimize(lambda c: 1.0, space, 2, seed=0)
    assert "Next suggestions" not in report.write(done, tmp_path / "a.html").read_text("utf-8")


def test_several_objectives_and_limits_are_written(tmp_path):
    optimizer = cas.Optimizer(SPACE, seed=0, objectives={"a": "minimize", "b": "maximize"}, limits={"c": "<= 5"})
    for k in range(1, 9):
        optimizer.tell({"solvent": "water", "n": k}, {"a": float(k), "b": k % 3 + 0.5, "c": float(k)})
    page = report.write(optimizer, tmp_path / "a.html").read_text("utf-8")
    assert "<h2>Pareto front</h2>" in page
    assert "chance of success" in page


def test_anything_else_is_refused(tmp_path):
    with pytest.raises(cas.DataError, match="a Result or an Optimizer; got a list"):
        report.write([], tmp_path / "a.html")


def test_a_missing_jinja_names_the_extra(result, tmp_path, monkeypatch):
    real = builtins.__import__

    def without_jinja(name, *args, **kwargs):
        if name == "jinja2":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_jinja)
    with pytest.raises(cas.MissingExtraError, match=r"casmopolitan\[report\]"):
        report.write(result, tmp_path / "a.html")
