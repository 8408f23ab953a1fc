"""What several tests compare with, written for plainness."""

import itertools

import numpy as np


def neighbours(h, levels):
    """All points at Hamming distance one, each once.   h: (d_h,)   ->   (Σ (n_j - 1), d_h)"""
    rows = [
        [*h[:j], other, *h[j + 1 :]]
        for j, other in itertools.chain.from_iterable(((j, o) for o in range(n)) for j, n in enumerate(levels))
        if other != h[j]
    ]
    return np.array(rows, dtype=np.int64).reshape(-1, len(h))


def folded(S):
    """A symmetric matrix in its upper triangle, off-diagonal entries doubled: how kernels take ∂loss/∂K."""
    return np.triu(S) + np.triu(S, 1)


def slopes(kernel, theta, data, S):
    """The derivatives of Σ S ∘ K by each hyperparameter, by central differences."""
    steps = 1e-6 * np.eye(len(theta))
    loss = lambda theta: float(np.vdot(S, kernel.forward(theta, data)[0]))  # noqa: E731
    return [(loss(theta + step) - loss(theta - step)) / 2e-6 for step in steps]
