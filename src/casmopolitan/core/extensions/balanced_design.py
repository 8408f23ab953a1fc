"""Beyond the paper: a first design in which every value of every variable appears as evenly as possible."""

from __future__ import annotations

from dataclasses import dataclass

from casmopolitan.core.ask import Extension
from casmopolitan.core.points import Points
from casmopolitan.core.rng import Purpose
from casmopolitan.core.search.balanced_point import balanced_point
from casmopolitan.core.search.eligibility import Eligibility
from casmopolitan.core.state import design_size


@dataclass(frozen=True, eq=False)
class BalancedDesign(Extension):
    """Values never used come first, and the whole design uses all values of a variable equally often."""

    def initial_point(self, eligibility: Eligibility, used: Points) -> Points:
        """Return a point of values that are due in a design of #init points; in x it is a Latin hypercube."""
        return balanced_point(eligibility, used, design_size(self.this.config, 0), self.this.rng(Purpose.INITIAL))
