"""All problems with limits or several objectives by name."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.outcomes import fronts, limited
from benchmarks.outcomes.measured import measured_table
from benchmarks.outcomes.problem import OutcomeProblem
from benchmarks.outcomes.sorbent import oil_sorbent

LIMITED: dict[str, Callable[[], OutcomeProblem]] = {
    "welded-beam": limited.welded_beam,
    "pressure-vessel": limited.pressure_vessel,
    "cat-cstrs-2": limited.cat_branin,
    "cat-cstrs-6": limited.cat_g09,
    "cat-cstrs-7": limited.cat_goldstein,
    "cat-cstrs-11": limited.cat_vessel,
    "cat-cstrs-12": limited.cat_concrete,
    "arylation-cheap": lambda: measured_table("arylation-yield-cost", {"cost": "<= 0.03"}),
    "lipid-small": lambda: measured_table("lipid-particles", {"encap_efficiency": ">= 0.4", "particle_diameter": "<= 1"}),
}
"""One objective and limits. The last two are tables."""

SEVERAL: dict[str, Callable[[], OutcomeProblem]] = {
    "zdt5": fronts.zdt5,
    "re22": fronts.re22,
    "re23": fronts.re23,
    "re25": fronts.re25,
    "re35": fronts.re35,
    "re36": fronts.re36,
    "oil-sorbent": oil_sorbent,
    "arylation-yield-cost": lambda: measured_table("arylation-yield-cost"),
    "lipid-particles": lambda: measured_table("lipid-particles"),
}
"""Several objectives. The last two are tables."""

PROBLEMS = LIMITED | SEVERAL
