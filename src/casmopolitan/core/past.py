"""Trials of earlier studies of related tasks, as points of the present domain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from casmopolitan.core.points import Array, Codes, Mask, Points


@dataclass(frozen=True, eq=False)
class Past:
    """Points with their values (the core's sign) and the number of their study, from 1; there is at least one point."""

    points: Points
    values: Array
    task: Codes

    @property
    def studies(self) -> int:
        """The number of studies."""
        return int(self.task.max())

    def own(self, study: int) -> Mask:
        """Return which trials belong to a study."""
        return np.asarray(self.task == study)
