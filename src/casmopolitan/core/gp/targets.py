"""What the Gaussian process is told instead of y: standardised, ranked, or robust targets, finite whatever y is.

The sample that sets the scale is divided by its largest magnitude before anything is squared, so values of 1e300 or 1e-300
neither overflow nor vanish.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from casmopolitan.config import Scheme
from casmopolitan.core.arrays import Array

FAR, NEAR = 3.0, 1.0
"""Robust targets worse than so many deviations are compressed logarithmically: those of choices alone, whose sums keep close
together, and those of functions of x too, whose bad values may be hundreds of times the rest."""


@dataclass(frozen=True)
class Targets:
    """A monotone map of y:  t = squash( (y / unit - centre) / scale ), which compresses what lies beyond the knee."""

    unit: float
    centre: float
    scale: float
    knee: float = math.inf
    invertible: bool = True
    worst: float = math.inf
    """The largest target seen: beyond it the inverse map, an exponential, has nothing to say but that it is worse."""

    def apply(self, y: Array) -> Array:
        """From the user's units to the model's."""
        with np.errstate(over="ignore"):  # what lies beyond the largest float is clipped below
            t = (y / self.unit - self.centre) / self.scale
        if self.knee < math.inf:
            t = np.where(t > self.knee, self.knee + np.log1p(np.maximum(t - self.knee, 0.0)), t)
        return np.clip(t, -1e6, 1e6)

    def invert(self, mean: Array, deviation: Array) -> tuple[Array, Array]:
        """Mean and deviation in the user's units; nan where the map does not allow it (ranks say nothing of magnitudes).

        Beyond the knee the deviation is carried by the slope of the inverse map there; a mean worse than all that was seen is
        taken for at most e times as far beyond the knee.
        """
        if not self.invertible:
            return np.full_like(mean, np.nan), np.full_like(deviation, np.nan)
        slope = np.ones_like(mean)
        if self.knee < math.inf:
            beyond = np.clip(mean - self.knee, 0.0, min(max(self.worst - self.knee, 0.0) + 1.0, 700.0))
            mean = np.where(mean > self.knee, self.knee + np.expm1(beyond), mean)
            slope = np.exp(beyond)
        # A mean far outside the data may lie beyond the largest float: the nearest one stands for it.
        with np.errstate(over="ignore"):
            back = np.nan_to_num((mean * self.scale + self.centre) * self.unit, nan=np.nan)
            spread = np.nan_to_num(deviation * slope * (self.scale * self.unit), nan=np.nan)
        return back, spread


def standardising(y: Array, sample: Array | None = None) -> Targets:
    """t = (y - ȳ) / σ(y), mean and deviation those of `sample` (y itself when None); a constant one is only centred."""
    sample = y if sample is None else sample
    if len(sample) == 0:
        return Targets(1.0, 0.0, 1.0)
    unit = magnitude(sample)
    scaled = sample / unit
    centre, scale = float(scaled.mean()), float(scaled.std())
    return Targets(unit, centre, scale if scale > 1e-12 else 1.0)


def robust(y: Array, sample: Array, knee: float = FAR) -> Targets:
    """The initial sample's median and y's median deviation, the bad tail (large y) compressed: no wild value flattens the rest.

    The level is the sample's because far from the data the process returns to zero (with a bowl: on average). The sample was
    drawn all over the space; later values gather where they are good, and a level that followed them would promise as much of
    every unknown place.
    """
    if len(y) == 0:
        return Targets(1.0, 0.0, 1.0, knee)
    unit = magnitude(y)
    scaled = y / unit
    middle = float(np.median(scaled))
    spread = 1.4826 * float(np.median(np.abs(scaled - middle)))
    if spread <= 1e-12 * abs(middle):  # relative to the bulk: a value of 1e300 must not make the others look equal
        spread = float(scaled.std())
        spread = spread if spread > 1e-12 else 1.0
    return Targets(unit, float(np.median(sample / unit)) if len(sample) else middle, spread, knee)


def copula(y: Array) -> Array:
    """Normal scores of the ranks, equal values sharing the highest rank: Φ⁻¹( rank / (n + 1) )."""
    ranks = np.searchsorted(np.sort(y), y, side="right")
    scores: Array = ndtri(ranks / (len(y) + 1))
    return scores


def magnitude(y: Array) -> float:
    """The largest |y|, or one when all are zero."""
    largest = float(np.abs(y).max()) if len(y) else 0.0
    return largest if largest > 0 else 1.0


def transformed(y: Array, scheme: Scheme, sample: Array, knee: float = FAR) -> tuple[Array, Targets]:
    """The model's targets under a scheme, and the map that made them, `sample` being the initial one, `knee` of the robust."""
    if scheme == "copula":
        return copula(y), Targets(1.0, 0.0, 1.0, invertible=False)
    if scheme == "robust":
        targets = robust(y, sample, knee)
    else:
        targets = standardising(y, sample if scheme == "initial" and len(sample) > 1 else y)
    t = targets.apply(y)
    return t, replace(targets, worst=float(t.max())) if len(t) else targets
