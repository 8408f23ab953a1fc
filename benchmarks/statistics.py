"""Means, ranks, and paired tests with Holm's correction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

LEVEL = 0.05
TIE = 1e-9
"""Losses this close, relative to their size (at least 1), are equal."""


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean and its standard error, which is nan for a single value."""
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")
    return float(np.mean(values)), spread / len(values) ** 0.5


def mean_cells(values: Sequence[Sequence[float]]) -> str:
    """Return the mean ± standard error of each column, as the cells of a Markdown table."""
    columns = (mean_and_error(column) for column in zip(*values, strict=True))
    return " | ".join(f"{mean:.1f} ± {error:.1f}" for mean, error in columns)


def ranks(losses: Mapping[str, float]) -> dict[str, float]:
    """Return ranks from 1 for the lowest loss; equal methods share the mean of their ranks."""
    return dict(zip(losses, stats.rankdata(list(losses.values())).tolist(), strict=True))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values after Holm's step-down correction: the k-th smallest of m times (m − k + 1), made monotone, at most 1."""
    adjusted, largest = [0.0] * len(p_values), 0.0
    for position, index in enumerate(np.argsort(p_values, kind="stable")):
        largest = max(largest, min(1.0, p_values[index] * (len(p_values) - position)))
        adjusted[index] = largest
    return adjusted


@dataclass(frozen=True)
class Pairing:
    """Two methods on their common seeds. better, worse: on how many of them the first is better or worse.

    means: of both over those seeds, a tie counting as equal.
    """

    seeds: int
    better: int
    worse: int
    p: float
    means: tuple[float, float]

    def verdict(self, adjusted: float) -> str:
        """Return the verdict. With fewer than 6 seeds no result can have p < 0.05, so the verdict is "too few seeds"."""
        if adjusted < LEVEL:
            return "ahead" if self.better > self.worse else "behind"
        return "no difference shown" if 2.0 ** (1 - self.seeds) < LEVEL else "too few seeds"


def paired(first: Mapping[int, float], second: Mapping[int, float]) -> Pairing | None:
    """Return the two-sided Wilcoxon signed-rank test over the common seeds; None if there are none."""
    seeds = sorted(first.keys() & second.keys())
    if not seeds:
        return None
    a, b = np.array([first[s] for s in seeds]), np.array([second[s] for s in seeds])
    b = np.where(np.abs(a - b) <= TIE * np.maximum(1, np.abs(a)), a, b)
    untied = (a - b)[a != b]
    p = float(stats.wilcoxon(untied).pvalue) if len(untied) else 1.0
    return Pairing(len(seeds), int((a < b).sum()), int((a > b).sum()), p, (float(a.mean()), float(b.mean())))
