"""Small, real runs to draw."""

import pytest

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
