"""The targets of a model that also learns from earlier studies (`kernels/task.py`).

The values of every earlier study are standardised on their own, since their level and range may differ. The first values of
the present task do not determine level and range: they are few, and chosen to be good. So these are those of all earlier
values together, as long as the present values look as if they were measured in the same units.
"""

from __future__ import annotations

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.targets import Targets, transformed
from casmopolitan.core.past import Past
from casmopolitan.core.points import Array

BESIDE, NARROW, ENOUGH = 1.0, 0.02, 5
"""Present values are in other units if one lies outside the range of the earlier ones by more than BESIDE times that range,
or if ENOUGH of them span less than a share NARROW of it."""


def earlier_targets(domain: Domain, config: Config, past: Past) -> Array:
    """Return the targets of the earlier values, standardised study by study."""
    targets = np.empty_like(past.values)
    for study in range(1, past.studies + 1):
        values = past.values[past.own(study)]
        targets[past.own(study)] = transformed(values, config.targets, values, domain.d_x > 0)[0]
    return targets


def present_targets(domain: Domain, config: Config, earlier: Array, y: Array, sample: Array) -> tuple[Array, Targets]:
    """Return the targets of the present values, and their map."""
    if not comparable(earlier, y):
        return transformed(y, config.targets, sample, domain.d_x > 0)
    both, targets = transformed(np.concatenate([earlier, y]), config.targets, earlier, domain.d_x > 0)
    return both[len(earlier) :], targets


def comparable(earlier: Array, y: Array) -> bool:
    """Return whether the present values may be in the units of the earlier ones."""
    if not len(y):
        return True
    low, high = float(earlier.min()), float(earlier.max())
    inside = float(y.min()) >= low - BESIDE * (high - low) and float(y.max()) <= high + BESIDE * (high - low)
    return inside and (len(y) < ENOUGH or float(np.ptp(y)) >= NARROW * (high - low))
