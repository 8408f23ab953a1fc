"""The Pareto front of values to be minimised, its hypervolume, and the boxes of the region that no point dominates."""

from __future__ import annotations

import numpy as np

from casmopolitan.core.points import Array, Mask

MARGIN = 0.1
"""The reference point lies this share of the front's range beyond its worst values."""


def non_dominated(values: Array) -> Mask:
    """Return which rows no other row dominates; of equal rows, the first.   values: (n, m)"""
    order = np.lexsort(values.T[::-1])  # a row is dominated only by rows before it
    kept = np.zeros(len(values), dtype=bool)
    if values.shape[1] == 2:
        second = values[order, 1]
        least = np.minimum.accumulate(np.concatenate([[np.inf], second[:-1]]))
        kept[order] = second < least
        kept[order[:1]] = True
        return kept
    front = np.empty((0, values.shape[1]))
    for i in order:
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
    if front.shape[1] == 3:
        return _contributions_of_three(front, reference)
    whole = hypervolume(front, reference)
    return np.array([whole - hypervolume(np.delete(front, k, axis=0), reference) for k in range(len(front))])


def _contributions_of_three(front: Array, reference: Array) -> Array:
    """Return the same for three objectives: for each row, the volume of the cells that it alone dominates.

    The coordinates of all rows divide the space into cells. For each slab between two values of the third objective, `rows` is
    the number of rows that dominate a cell, and `total` the sum of their indices: the index of the row if only one dominates.
    """
    lost, within = np.zeros(len(front)), np.flatnonzero(inside(front, reference))
    x, y, z = (np.append(np.unique(front[within, j]), reference[j]) for j in range(3))
    first, second = np.searchsorted(x, front[within, 0]), np.searchsorted(y, front[within, 1])
    rows = np.zeros((len(x) - 1, len(y) - 1), dtype=np.int64)
    total = np.zeros_like(rows)
    with np.errstate(over="ignore"):  # the volume may be larger than any float
        area = np.outer(np.diff(x), np.diff(y))
        for k, depth in enumerate(np.diff(z)):
            for i in np.flatnonzero(front[within, 2] == z[k]):
                rows[first[i] :, second[i] :] += 1
                total[first[i] :, second[i] :] += within[i]
            alone = rows == 1
            lost += depth * np.bincount(total[alone], area[alone], minlength=len(front))
    return lost


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
