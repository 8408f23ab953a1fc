"""Small, real runs to look at."""

import pytest

from docs import figures


@pytest.fixture(scope="session")
def graph():
    return figures.graph(24)


@pytest.fixture(scope="session")
def tuned():
    return figures.tuned(20)
