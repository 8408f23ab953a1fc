"""Beyond the paper: choices that were added to a space in mid-run are tried soon."""

from __future__ import annotations

from dataclasses import dataclass

from casmopolitan.core.ask import Areas, Extension
from casmopolitan.core.partial import Fixed
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.state import Provenance

EVERY = 2
"""One trial in EVERY tries a new choice until all have been tried: the others continue the search."""


@dataclass(frozen=True, eq=False)
class NewChoices(Extension):
    """Every second trial searches the whole space with one of the choices that were added and never tried."""

    def areas(self, areas: Areas, provenance: Provenance) -> tuple[Areas, Provenance]:
        """Return the points with an untried new choice, then the usual areas."""
        state, domain, centre = self.this.state, self.this.domain, areas[0].centre
        used = self.this.used.h
        due = [(j, level) for j, level in sorted(state.added) if not (used[:, j] == level).any()]
        if not due or self.this.number % EVERY:
            return areas, provenance
        fixed = Fixed(dict([due[0]])).implied(domain, self.this.spare)
        chosen = Neighbourhood.everywhere(domain, centre).fixing(fixed)
        return (chosen, *areas), Provenance(provenance.region, "global", centre)
