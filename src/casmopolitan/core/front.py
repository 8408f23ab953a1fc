"""The Pareto front of values to be minimised, its hypervolume, and the boxes of the region that no point dominates."""

from __future__ import annotations

import numpy as np

from casmopolitan.core.points import Array, Mask

MARGIN = 0.1
"""The reference point lies this share of the front's range beyond its worst values."""


def non_dominated(values: Array) -> Mask:
    """Return which rows no other row dominates; of equal rows, the first.   values: (n, m)"""
    kept = np.zeros(len(values), dtype=bool)
    front = np.empty((0, values.shape[1]))
    for i in np.lexsort(values.T[::-1]):  # a row is dominated only by rows before it
        if not (front <= values[i]).all(axis=1).any():
            kept[i] = True
            front = np.concatenate([front, values[i : i + 1]])
    return kept


def reference_point(front: Array, given: tuple[float, ...] | None = None, least: float = 0.0) -> Array:
    """Return the given reference point, or the worst values of the front plus MARGIN of its range in each objective.

    The range is at least `least`. If it is zero, the absolute value of the objective is used instead; if that is zero too, one.
    """
    if given is not None:
        return np.array(given)
    worst, span = front.max(axis=0), np.maximum(np.ptp(front, axis=0), least)
    scale = np.where(span > 0.0, span, np.where(worst != 0.0, np.abs(worst), 1.0))
    point: Array = worst + MARGIN * scale
    return point


def inside(values: Array, reference: Array) -> Mask:
    """Return which rows are better than the reference point in every objective."""
    better: Mask = np.all(values < reference, axis=1)
    return better


def hypervolume(values: Array, reference: Array) -> float:
    """Return the volume that the rows dominate, bounded by the reference point; exact for any number of objectives."""
    values = values[inside(values, reference)]
    values = values[non_dominated(values)]
    if not len(values):
        return 0.0
    if values.shape[1] == 1:
        return float(reference[0] - values.min())
    order = np.argsort(values[:, 0], kind="stable")
    values = values[order]
    if values.shape[1] == 2:
        heights = np.concatenate([[reference[1]], values[:-1, 1]]) - values[:, 1]
        with np.errstate(over="ignore"):  # the volume may be larger than any float
            return float(((reference[0] - values[:, 0]) * heights).sum())
    ends = np.append(values[1:, 0], reference[0])
    return sum(
        float(end - values[k, 0]) * hypervolume(values[: k + 1, 1:], reference[1:])
        for k, end in enumerate(ends)
        if end > values[k, 0]
    )


def contributions(front: Array, reference: Array) -> Array:
    """Return by how much the hypervolume shrinks without each row."""
    whole = hypervolume(front, reference)
    return np.array([whole - hypervolume(np.delete(front, k, axis=0), reference) for k in range(len(front))])


def boxes(front: Array, reference: Array) -> tuple[Array, Array]:
    """Return lower and upper corners (b, m) of disjoint boxes, for two or three objectives. Lower corners may be -inf.

    The boxes fill the part of the space below the reference point that no row of the front dominates. Two objectives: strips
    between neighbours of the front. Three: as the third objective grows, each row of the front changes a few strips; a box is a
    strip from where it appears to where it ends.
    """
    front = front[inside(front, reference)]
    front = front[non_dominated(front)]
    found: list[tuple[tuple[float, ...], tuple[float, ...]]] = []
    if front.shape[1] == 2:
        found = [((x0, -np.inf), (x1, y)) for x0, x1, y in strips(front, reference)]
    else:
        since = dict.fromkeys(strips(front[:0, :2], reference), -np.inf)
        for z in [*np.unique(front[:, 2]).tolist(), float(reference[2])]:
            last = z == reference[2]
            now = set() if last else set(strips(front[front[:, 2] <= z][:, :2], reference))
            for strip in [strip for strip in since if strip not in now]:
                x0, x1, y = strip
                found.append(((x0, -np.inf, since.pop(strip)), (x1, y, z)))
            since |= {strip: z for strip in sorted(now) if strip not in since}
    return np.array([low for low, _ in found]), np.array([high for _, high in found])


def strips(values: Array, reference: Array) -> list[tuple[float, float, float]]:
    """Return (x0, x1, y): between x0 and x1 no row dominates points below y.   values: (n, 2)"""
    front = values[non_dominated(values)]
    front = front[np.argsort(front[:, 0])]
    edges = [-np.inf, *front[:, 0].tolist(), float(reference[0])]
    tops = [float(reference[1]), *front[:, 1].tolist()]
    return [(x0, x1, y) for x0, x1, y in zip(edges[:-1], edges[1:], tops, strict=True)]
