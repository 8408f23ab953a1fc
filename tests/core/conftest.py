from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="module", autouse=True)
def one_blas_thread() -> Iterator[None]:
    """As an optimiser does around every ask: with matrices this small, several threads wait for each other."""
    with threadpool_limits(1, user_api="blas"):
        yield
