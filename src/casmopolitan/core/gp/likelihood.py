"""log p(y | θ) = -½ yᵀ K̃⁻¹ y - ½ log |K̃| - n/2 log 2π,   K̃ = output scale · K + noise · I,   with its exact gradient.

∂/∂θ log p = ½ tr( (ααᵀ - K̃⁻¹) ∂K̃/∂θ ),  α = K̃⁻¹ y.

With a mean βφ, y - βφ takes the place of y and the prior of β adds -½β². β is maximised, not integrated out. Since it is at its
maximum for every θ, the gradient by θ keeps its form.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg.blas import dsyr
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

from casmopolitan.core.gp.hyperparameters import Hyperparameters
from casmopolitan.core.gp.mean import best_steepness
from casmopolitan.core.kernels.base import Data, Kernel
from casmopolitan.core.points import Array

LOG_2PI = math.log(2 * math.pi)


def log_marginal_likelihood(
    kernel: Kernel, theta: Array, data: Data, y: Array, phi: Array | None = None
) -> tuple[float, Array]:
    """Return the value and its gradient by θ; (-inf, zeros) if K̃ is not positive definite.

    `phi` is the shape φ of the mean at the data; None means a mean of zero.
    """
    n, (kernel_theta, output_scale, noise) = len(y), Hyperparameters.of(theta)
    K, kept = kernel.forward(kernel_theta, data)
    covariance = K * output_scale
    covariance.ravel()[:: n + 1] += noise
    # The matrix is symmetric, so its transpose is the column-major array that LAPACK needs, without a copy.
    factor, failed = dpotrf(covariance.T, lower=1, clean=1, overwrite_a=1)
    if failed:
        return -math.inf, np.zeros_like(theta)
    alpha, beta = dpotrs(factor, y, lower=1)[0], 0.0
    if phi is not None:
        solved = dpotrs(factor, phi, lower=1)[0]
        beta = best_steepness(float(phi @ alpha), float(phi @ solved))
        y, alpha = y - beta * phi, alpha - beta * solved
    half_log_determinant = float(np.log(factor.T.ravel()[:: n + 1]).sum())
    value = -0.5 * float(y @ alpha) - 0.5 * beta**2 - half_log_determinant - 0.5 * n * LOG_2PI
    inverse = dpotri(factor, lower=1, overwrite_c=1)[0]
    W: Array = dsyr(-1.0, alpha, lower=1, a=inverse, overwrite_a=1).T
    diagonal = W.ravel()[:: n + 1]
    diagonal *= 0.5  # W = -∂ log p / ∂K̃ = ½ (K̃⁻¹ - ααᵀ), folded into the upper triangle
    by_noise = -float(diagonal.sum())
    by_output_scale = -float(np.vdot(W, K))
    W *= -output_scale
    by_kernel = kernel.backward(kernel_theta, data, kept, W)
    return value, Hyperparameters(by_kernel, by_output_scale, by_noise).flat()
