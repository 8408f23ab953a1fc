"""Which variables matter to a function, and how many of them act together, as its model has learnt it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from casmopolitan.core.gp.leave_one_out import predicted_share
from casmopolitan.core.gp.mean import square_moments
from casmopolitan.core.gp.posterior import Posterior
from casmopolitan.core.kernels.variance import Split, split
from casmopolitan.core.points import Array, Points

MATTERS = 0.2
"""A variable matters if its relevance is more than this part of the mean relevance."""

ADDITIVE, RUGGED, EXACT = 0.85, 0.45, 0.97
"""Shares of single variables: from ADDITIVE on a function is nearly additive, below RUGGED it is rugged. From EXACT on, the
rates of a model are so small that their ratios mean nothing."""

PER_VARIABLE, FEWEST = 2, 10
"""Trials needed per variable that matters, and in all, before anything is said. While the data say nothing about single
variables, all of them look alike and would seem to matter."""

PREDICTED = 0.25
"""The share of the values' variance that the model has to predict before anything is said."""

DRAWS, LARGEST = (32, 1024), 2000
"""Fewest and most random points at which the data are taken into account, and the largest number of variables for it."""

Additivity = Literal["nearly additive", "mostly single variables and pairs", "rugged: many variables act together"]


@dataclass(frozen=True)
class Structure:
    """Which variables matter, and how they act together. Its text is one short sentence."""

    relevances: dict[str, float]
    """The share of the variance that is left if all other variables are fixed, by variable."""
    single: float = 0.0
    """The share of the variance that comes from single variables: 1 for a sum of functions of one variable each."""
    predicted: float = 0.0
    """How well the model predicts each trial from the others: 1 is perfect, 0 is as good as the mean of the others."""
    trials: int = 0
    """The number of trials that the model was fitted to."""
    counted: bool = True
    """Whether the relevances are certain enough to count the variables that matter."""

    @cached_property
    def matter(self) -> tuple[str, ...]:
        """The variables that matter, the most relevant first."""
        enough = MATTERS * sum(self.relevances.values()) / max(len(self.relevances), 1)
        chosen = [name for name, relevance in self.relevances.items() if relevance > enough]
        return tuple(sorted(chosen, key=lambda name: -self.relevances[name]))

    @property
    def known(self) -> bool:
        """Whether there are enough trials, and the model predicts them well enough, to say which variables matter."""
        needed = max(FEWEST, PER_VARIABLE * len(self.matter))
        return bool(self.matter) and self.trials >= needed and self.predicted >= PREDICTED

    @property
    def additivity(self) -> Additivity:
        """How many variables act together."""
        if self.single >= ADDITIVE:
            return "nearly additive"
        return "mostly single variables and pairs" if self.single >= RUGGED else "rugged: many variables act together"

    def __str__(self) -> str:
        if not self.known:
            return "cannot tell yet which variables matter"
        if not self.counted:
            return self.additivity
        some, all_of_them = len(self.matter), len(self.relevances)
        if some == 1:
            return f"1 of {all_of_them} variables matters"
        return f"{'all' if some == all_of_them else f'{some} of'} {all_of_them} variables matter; {self.additivity}"


def structure_text(posterior: Posterior) -> str | None:
    """Return the structure that the hyperparameters of a model describe, as text; None for kernels other than the default's.

    Variables are not counted if the model treats all alike: its prior may have kept it from telling them apart.
    """
    (theta, scale, _), domain = posterior.hyperparameters, posterior.domain
    found = split(posterior.kernel, theta, domain)
    if found is None:
        return None
    structure = _structure(posterior, [str(j) for j in range(len(found.involving))], found.times(scale) + bowl_split(posterior))
    told_apart = structure.single < EXACT and len(structure.matter) < len(structure.relevances)
    return str(replace(structure, counted=told_apart))


def structure_of(posterior: Posterior, names: Sequence[str]) -> Structure:
    """Return the expected structure of the function given the data. `names` are those of the columns of h, then of x.

    It is that of the prior process at the fitted hyperparameters, corrected for the data (`updated_split`).
    """
    (theta, scale, _), domain = posterior.hyperparameters, posterior.domain
    found = split(posterior.kernel, theta, domain)
    if found is None or np.ptp(posterior.y) == 0.0:  # equal values say nothing, whatever the kernel's prior
        return Structure(dict.fromkeys(names, 0.0), trials=len(posterior.y))
    found = found.times(scale)
    return _structure(posterior, names, found if len(names) > LARGEST else updated_split(posterior, found))


def _structure(posterior: Posterior, names: Sequence[str], found: Split) -> Structure:
    whole = max(found.whole, math.ulp(0.0))
    relevances = dict(zip(names, (found.involving / whole).tolist(), strict=True))
    return Structure(relevances, found.single / whole, predicted_share(posterior), len(posterior.y))


def updated_split(posterior: Posterior, prior: Split) -> Split:
    """Return the expected split given the data, by an average over random points (Jansen's and Saltelli's estimators).

    The posterior covariance and the square of the posterior mean add up to  k(z, z') + k_*(z) W k_*(z')ᵀ,  W = ααᵀ - K̃⁻¹.
    The first term gives the split of the prior. For the second, take independent points a and b, and let a_j be a with
    variable j of b. It adds

        to the whole                             ½ E |k_*(b) - k_*(a)|²_W
        to all sets with variable j              ½ E |k_*(a_j) - k_*(a)|²_W
        to the whole less single variables       E ⟨ k_*(b), k_*(b) - k_*(a) - Σ_j (k_*(a_j) - k_*(a)) ⟩_W,

    whose second factor is zero if the kernel is additive. Subtracting the mean of k_*(b) makes the last average more exact.
    """
    domain, rng = posterior.domain, np.random.default_rng(0)
    n = int(np.clip(30_000 // len(prior.involving), *DRAWS))
    a, b = domain.draw_values(n, rng), domain.draw_values(n, rng)
    at_a, at_b = (posterior.cross(domain.canonical(points)) for points in (a, b))

    def mean_product(u: Array, v: Array) -> float:
        explained = np.vdot(u @ posterior.inverse_factor.T, v @ posterior.inverse_factor.T)
        return float((u @ posterior.alpha) @ (v @ posterior.alpha) - explained) / n

    changes, involving = np.zeros_like(at_a), prior.involving.copy()
    for j in range(len(involving)):
        h, x = a.h.copy(), a.x.copy()
        of_a, of_b, k = (h, b.h, j) if j < domain.d_h else (x, b.x, j - domain.d_h)
        of_a[:, k] = of_b[:, k]
        change = posterior.cross(domain.canonical(Points(h, x))) - at_a
        involving[j] += 0.5 * mean_product(change, change)
        changes += change
    whole = max(prior.whole + 0.5 * mean_product(at_b - at_a, at_b - at_a), 1e-12 * prior.whole)
    joint = prior.whole - prior.single + mean_product(at_b - at_b.mean(axis=0), at_b - at_a - changes)
    return Split(whole, np.clip(involving, 0.0, whole), float(np.clip(whole - joint, 0.0, whole)))


def bowl_split(posterior: Posterior) -> Split:
    """Return the variance of the prior mean βφ, which is a sum over single variables."""
    domain, bowl = posterior.domain, posterior.bowl
    if bowl is None:
        return Split(0.0, np.zeros(domain.d_h + domain.d_x), 0.0)
    of_h = np.empty(0)
    if domain.d_h:
        mean, square = (np.add.reduceat(heights, bowl.first) / domain.codes for heights in (bowl.heights, bowl.heights**2))
        of_h = square - mean**2
    of_x = bowl.counted * [square_moments(axis)[1] for axis in domain.axes]
    of_each = np.concatenate([of_h, of_x]) / bowl.spread**2
    whole = posterior.steepness**2
    return Split(whole, whole * of_each, whole)
