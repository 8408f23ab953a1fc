"""The prediction of each datum from all others, in closed form: no model is fitted again, and the hyperparameters stay."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from casmopolitan.core.gp.posterior import Posterior
from casmopolitan.core.points import Array


class LeftOut(NamedTuple):
    """The prediction of every datum from the others, in the units of the targets."""

    mean: Array
    variance: Array
    """The variance of the datum, noise included."""


def leave_one_out(posterior: Posterior) -> LeftOut:
    """Return the prediction of every datum without it (Rasmussen and Williams, 2006, Sec. 5.4.2).

    μ_i = y_i - α_i / (K̃⁻¹)_ii,   σ²_i = 1 / (K̃⁻¹)_ii,   with  α = K̃⁻¹ (y - βφ)  and β as it is.
    """
    precision: Array = np.einsum("ij,ij->j", posterior.inverse_factor, posterior.inverse_factor)
    return LeftOut(posterior.y - posterior.alpha / precision, 1.0 / precision)


def predicted_share(posterior: Posterior) -> float:
    """Return 1 - Σ_i (y_i - μ_i)² / Σ_i (y_i - ȳ_i)², in which μ_i and ȳ_i are prediction and mean without datum i."""
    y, n = posterior.y, len(posterior.y)
    errors = posterior.alpha * leave_one_out(posterior).variance
    from_mean = (y - y.mean()) * n / max(n - 1, 1)
    total = float(from_mean @ from_mean)
    return 1 - float(errors @ errors) / total if total > 0 else 0.0
