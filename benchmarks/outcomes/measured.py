"""Tables of real measurements with several outcomes, read from the folder of `--tables`. Their answers are exact."""

from __future__ import annotations

import csv

import numpy as np

import casmopolitan as cas
from benchmarks import tables
from benchmarks.outcomes.problem import OutcomeProblem, Row, volume_of

TABLES = {
    "arylation-yield-cost": ({"yield": "maximize", "cost": "minimize"}, ("concentration", "temperature")),
    "lipid-particles": (
        {"drug_loading": "maximize", "encap_efficiency": "maximize", "particle_diameter": "minimize"},
        ("drug_input", "solid_lipid_input", "liquid_lipid_input", "surfractant_input"),
    ),
}
"""The outcomes of each table with their directions, and its ordered variables."""


def measured_table(name: str, limits: dict[str, str] | None = None) -> OutcomeProblem:
    """Return a table with all outcomes as objectives, or, with limits, the first. Rows that it lacks are failed trials."""
    outcomes, ordered = TABLES[name]
    with tables.opened(tables.path_of(name)) as file:
        rows = list(csv.DictReader(file))
    columns = [column for column in rows[0] if column not in outcomes]
    space = cas.Space({c: tables.variable([row[c] for row in rows], c in ordered) for c in columns})
    measured = {tuple(row[c] for c in columns): {name: float(row[name]) for name in outcomes} for row in rows}

    def measure(c: dict) -> Row | cas.trial.Failed:
        return measured.get(tuple(c[column] for column in columns), cas.FAILED)

    if limits is not None:
        first, way = next(iter(outcomes.items()))
        best = OutcomeProblem(space, measure, {first: way}, limits).score(list(measured.values()))
        return OutcomeProblem(space, measure, {first: way}, limits, best)
    signs = OutcomeProblem(space, measure, outcomes).signs
    values = signs * np.array([list(row.values()) for row in measured.values()])
    dominated = [((values <= row).all(axis=1) & (values < row).any(axis=1)).any() for row in values]
    return OutcomeProblem(space, measure, outcomes, volume=volume_of(values[~np.array(dominated)]))
