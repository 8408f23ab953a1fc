"""Maximise many independent functions at once, each within its own box: L-BFGS with a step length and a history for each.

One optimiser of the sum of all functions is slower to converge: it has one step length, which the steepest function sets, and
its model of the curvature mixes them. Here only the evaluation is shared. Bounds are met by projection (Bertsekas, 1982).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from casmopolitan.core.points import Array, Mask

HISTORY = 6
"""Number of pairs, of a step and the change of the gradient, that model the curvature of each function."""

FIRST_STEP = 0.1
"""Maximum length of a step along the gradient. The side of the space is 1."""

SUFFICIENT = 1e-4
"""A step is accepted if it gains at least this share of the gain that the gradient predicts (Armijo)."""

FLAT = 1e-3
"""A row ends when all of its free partial derivatives are at most this."""

CURVED = 1e-12
"""A pair is kept if the product of the step and the change of the gradient is larger than this."""

SHORTEST = 1e-7
"""A row ends when a step along its gradient is not longer than this."""

Function = Callable[[Array], tuple[Array, Array]]
"""Returns the values (m,) and the gradients (m, d) at x (m, d). Row i of both depends on row i of x alone."""


def ascend(function: Function, start: Array, low: Array, high: Array, evaluations: int) -> Array:
    """Return where each row of x ends after at most so many steps; its value never decreases.   start, low, high: (m, d)"""
    x = np.clip(start, low, high)
    value, gradient = evaluated(function, x)
    steps, changes = np.zeros((HISTORY, *x.shape)), np.zeros((HISTORY, *x.shape))
    free = free_coordinates(x, gradient, low, high)
    move, steepest = along_gradient(gradient * free), np.ones(len(x), dtype=bool)
    ended = np.zeros(len(x), dtype=bool)
    for _ in range(evaluations):
        short = norms(move) <= SHORTEST
        ended |= (np.abs(gradient * free).max(axis=1) <= FLAT) | (short & steepest)
        if ended.all():
            break
        move = np.where(short[:, None], along_gradient(gradient * free), move)  # bounds may bend the other moves downhill
        steepest |= short
        tried = np.where(ended[:, None], x, within(x, move, gradient, low, high))
        new_value, new_gradient = evaluated(function, tried)
        with np.errstate(all="ignore"):  # where there is no value, no step is accepted
            predicted, gain = (gradient * (tried - x)).sum(axis=1), new_value - value
            vertex = predicted / (2 * (predicted - gain))  # of the parabola through both values; NaN if one is not finite
        uphill = predicted > 0
        accepted = ~ended & (gain >= SUFFICIENT * predicted) & uphill
        shorter = (tried - x) * np.fmin(np.fmax(vertex, 0.1), 0.5)[:, None]
        step, change = np.where(accepted[:, None], tried - x, 0.0), np.where(accepted[:, None], gradient - new_gradient, 0.0)
        curved = (step * change).sum(axis=1) > CURVED
        steps[1:, curved], changes[1:, curved] = steps[:-1, curved], changes[:-1, curved]
        steps[0, curved], changes[0, curved] = step[curved], change[curved]
        x, value = np.where(accepted[:, None], tried, x), np.where(accepted, new_value, value)
        gradient = np.where(accepted[:, None], new_gradient, gradient)
        free = free_coordinates(x, gradient, low, high)
        move = np.where(
            accepted[:, None], quasi_newton(gradient, steps, changes, free), np.where(uphill[:, None], shorter, 0.0)
        )
        steepest &= ~accepted
    return x


def within(x: Array, move: Array, gradient: Array, low: Array, high: Array) -> Array:
    """Return where each row moves in its box: as far as the first bound, or to the nearest point of the box.

    The one from which the gradient predicts more is taken: the second bends the move, perhaps away from a ridge.
    """
    with np.errstate(all="ignore"):
        room = np.where(move > 0, (high - x) / move, np.where(move < 0, (low - x) / move, np.inf))
    straight = np.clip(x + np.minimum(1.0, room.min(axis=1))[:, None] * move, low, high)
    nearest = np.clip(x + move, low, high)
    return np.where((gradient * (straight - nearest)).sum(axis=1)[:, None] > 0, straight, nearest)


def evaluated(function: Function, x: Array) -> tuple[Array, Array]:
    """Return the values and the gradients, with 0 in place of derivatives that are not finite."""
    value, gradient = function(x)
    return value, gradient if np.isfinite(gradient).all() else np.nan_to_num(gradient, posinf=0.0, neginf=0.0)


def along_gradient(uphill: Array) -> Array:
    """Return a step along the free part of the gradient: the first one, and where no other leads far uphill."""
    return FIRST_STEP * uphill / np.maximum(norms(uphill), FIRST_STEP)[:, None]


def quasi_newton(gradient: Array, steps: Array, changes: Array, free: Mask) -> Array:
    """Return the step of each row in its free coordinates by the two-loop recursion; the newest pairs come first.

    A row whose newest pair says nothing about its free coordinates moves along its gradient.
    """
    products, squares = (steps * changes * free).sum(axis=2), (changes[0] ** 2 * free).sum(axis=1)
    usable = products > CURVED
    inverse = np.where(usable, 1.0 / np.where(usable, products, 1.0), 0.0)
    q, parts = gradient * free, np.zeros(products.shape)
    pairs = np.flatnonzero(usable.any(axis=1))
    for i in pairs:
        parts[i] = inverse[i] * (steps[i] * q).sum(axis=1)
        q = q - parts[i][:, None] * changes[i] * free
    q *= np.where(usable[0], products[0] / np.where(usable[0], squares, 1.0), 0.0)[:, None]
    for i in pairs[::-1]:
        q = q + (parts[i] - inverse[i] * (changes[i] * q).sum(axis=1))[:, None] * steps[i] * free
    return np.where(usable[0][:, None], q, along_gradient(gradient * free))


def free_coordinates(x: Array, gradient: Array, low: Array, high: Array) -> Mask:
    """Return which coordinates can move along the gradient: those not at a bound that it points to."""
    mask: Mask = ~(((x <= low) & (gradient < 0)) | ((x >= high) & (gradient > 0)))
    return mask


def norms(rows: Array) -> Array:
    """Return the Euclidean length of each row."""
    length: Array = np.sqrt((rows**2).sum(axis=1))
    return length
