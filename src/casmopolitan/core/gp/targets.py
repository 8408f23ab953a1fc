"""The targets that the Gaussian process is fitted to: y standardised, ranked, or compressed. They are finite for every y.

The sample that sets the scale is divided by its largest magnitude before anything is squared, so that values of 1e300 or
1e-300 neither overflow nor underflow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from casmopolitan.config import Scheme
from casmopolitan.core.points import Array

FAR, NEAR = 3.0, 1.0
"""Robust targets that are more than this many deviations worse than the centre are compressed logarithmically. FAR: functions
of discrete variables only, whose values lie close together. NEAR: functions of x too, whose bad values may be very large."""

GOOD_TAIL = 1 / 3
"""The scale of robust targets is at least this share of the root mean square distance of the values better than the centre.
1/2 and 1/3 gave the same on GB1; smaller shares were not tried."""


@dataclass(frozen=True)
class Targets:
    """A monotone map of y:  t = squash( (y / unit - centre) / scale ); squash compresses values beyond the knee."""

    unit: float
    centre: float
    scale: float
    knee: float = math.inf
    invertible: bool = True
    worst: float = math.inf
    """The largest target of the data. Further out the inverse map, an exponential, would be meaningless."""

    def apply(self, y: Array) -> Array:
        """Map values in the user's units to targets."""
        with np.errstate(over="ignore"):  # larger values are clipped below
            t = (y / self.unit - self.centre) / self.scale
        if self.knee < math.inf:
            t = np.where(t > self.knee, self.knee + np.log1p(np.maximum(t - self.knee, 0.0)), t)
        return np.clip(t, -1e6, 1e6)

    def invert(self, mean: Array, deviation: Array) -> tuple[Array, Array]:
        """Map mean and deviation of targets to the user's units; nan for ranks, which have no magnitudes.

        Beyond the knee the deviation is multiplied by the slope of the inverse map. A mean worse than all data is placed at
        most e times as far beyond the knee as the worst of them.
        """
        if not self.invertible:
            return np.full_like(mean, np.nan), np.full_like(deviation, np.nan)
        slope = np.ones_like(mean)
        if self.knee < math.inf:
            beyond = np.clip(mean - self.knee, 0.0, min(max(self.worst - self.knee, 0.0) + 1.0, 700.0))
            mean = np.where(mean > self.knee, self.knee + np.expm1(beyond), mean)
            slope = np.exp(beyond)
        # A mean far outside the data may lie beyond the largest float, which then takes its place.
        with np.errstate(over="ignore"):
            back = np.nan_to_num((mean * self.scale + self.centre) * self.unit, nan=np.nan)
            spread = np.nan_to_num(deviation * slope * (self.scale * self.unit), nan=np.nan)
        return back, spread


def standardising(y: Array, sample: Array | None = None) -> Targets:
    """Return t = (y - ȳ) / σ(y) with mean and deviation of `sample` (None: y itself). A constant sample is only centred."""
    sample = y if sample is None else sample
    if len(sample) == 0:
        return Targets(1.0, 0.0, 1.0)
    unit = magnitude(sample)
    scaled = sample / unit
    return Targets(unit, float(scaled.mean()), deviation(scaled))


def robust(y: Array, sample: Array, numbers: bool = False) -> Targets:
    """Return a map that centres on the median of `sample`, scales by a median deviation, and compresses large (bad) y.

    Outliers therefore do not flatten the other values. The centre is that of the sample because far from the data the process
    returns to zero (with a bowl: on average). The sample was drawn from the whole space, while later values are mostly good:
    a centre that followed them would predict good values at every unknown point.

    The scale is that of the sample too. A scale that followed the data would shrink as the search closes in on one optimum, and
    differences between its neighbours would hide all others. Functions of x (`numbers`) are refined over orders of magnitude,
    so there it follows the data. If good values lie far from the centre, they set the scale (GOOD_TAIL).
    """
    knee = NEAR if numbers else FAR
    if len(y) == 0:
        return Targets(1.0, 0.0, 1.0, knee)
    unit = magnitude(y)
    scaled, drawn = y / unit, sample / unit
    spreads = (median_deviation(values) for values in ((scaled,) if numbers or len(drawn) < 3 else (drawn, scaled)))
    spread = next((spread for spread in spreads if spread > 0.0), 0.0) or deviation(scaled)
    centre = float(np.median(drawn if len(drawn) else scaled))
    better = np.minimum(scaled - centre, 0.0)
    if not numbers and (count := int((better < 0.0).sum())):
        spread = max(spread, GOOD_TAIL * math.sqrt(float(better @ better) / count))
    return Targets(unit, centre, spread, knee)


def deviation(y: Array) -> float:
    """Return the standard deviation, or one if all values are equal."""
    spread = float(y.std())
    return spread if spread > 1e-12 else 1.0


def median_deviation(y: Array) -> float:
    """Return the median deviation from the median, times 1.4826 (of a normal sample: σ); zero if it is negligible.

    Negligible means relative to the median: one value of 1e300 must not make the others look equal.
    """
    middle = float(np.median(y))
    spread = 1.4826 * float(np.median(np.abs(y - middle)))
    return spread if spread > 1e-12 * abs(middle) else 0.0


def copula(y: Array) -> Array:
    """Return normal scores of the ranks: Φ⁻¹( rank / (n + 1) ). Equal values share the highest rank."""
    ranks = np.searchsorted(np.sort(y), y, side="right")
    scores: Array = ndtri(ranks / (len(y) + 1))
    return scores


def magnitude(y: Array) -> float:
    """Return the largest |y|, or one if all are zero."""
    largest = float(np.abs(y).max()) if len(y) else 0.0
    return largest if largest > 0 else 1.0


def transformed(y: Array, scheme: Scheme, sample: Array, numbers: bool = False) -> tuple[Array, Targets]:
    """Return the targets of y under a scheme, and their map.

    `sample` holds the initial values; `numbers` tells whether y is a function of continuous variables too.
    """
    if scheme == "copula":
        return copula(y), Targets(1.0, 0.0, 1.0, invertible=False)
    if scheme == "robust":
        targets = robust(y, sample, numbers)
    else:
        targets = standardising(y, sample if scheme == "initial" and len(sample) > 1 else y)
    t = targets.apply(y)
    return t, replace(targets, worst=float(t.max())) if len(t) else targets
