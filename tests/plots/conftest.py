"""Small, real runs to draw."""

import pytest

import casmopolitan as cas
from docs import figures


@pytest.fixture(scope="session")
def graph():
    return figures.graph(24)


@pytest.fixture(scope="session")
def tuned():
    return figures.tuned(20)


@pytest.fixture
def saved(tmp_path):
    """Write a figure to a file; its size in bytes."""

    def save(figure):
        figure.savefig(tmp_path / "figure.png")
        return (tmp_path / "figure.png").stat().st_size

    return save


@pytest.fixture(scope="session")
def mixed():
    """Every kind of variable, told without asking: `rate` exists only with a solver of two, and a pair is forbidden."""
    space = cas.Space(
        {
            "solver": cas.Categorical(["cg", "gmres", "direct"]),
            "rate": cas.Real(1e-4, 1.0, log=True, when={"solver": ["cg", "gmres"]}),
            "order": cas.Ordinal([1, 2, 4]),
            "threads": cas.Integer(1, 64),
            "cache": cas.Categorical([True, False]),
        },
        [cas.Forbid({"order": 4, "cache": False})],
    )
    rows = space.sample(24, 1)
    optimizer = cas.Optimizer(space, seed=0)
    optimizer.tell_many(
        rows, [abs(r["threads"] - 20) + 9 * r["order"] + 5 * (r["solver"] != "cg") for r in rows[:-1]] + [cas.FAILED]
    )
    return optimizer


@pytest.fixture(scope="session")
def two_goals():
    """Two objectives, of which one trial has only one."""
    space = cas.Space({"a": cas.Integer(1, 30), "b": cas.Categorical(["x", "y"])})
    optimizer = cas.Optimizer(space, seed=0, objectives={"error": "minimize", "gain": "maximize"})
    for k, row in enumerate(space.sample(8, 0)):
        optimizer.tell(row, {"error": float(row["a"]), "gain": 2.0 * row["a"] + (row["b"] == "x") if k else None})
    return optimizer
