"""Mean best values at a few evaluations, method by method, and mean ranks over the problems: a table in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.ledger import Record
from benchmarks.series import Series, series_of, title
from benchmarks.statistics import mean_and_error, ranks


def table(records: Sequence[Record], checkpoints: Sequence[int]) -> str:
    """One row per problem and one column per method, each cell with the means ± standard errors at the checkpoints.

    Methods are compared on the seeds that all of them ran. The last row is the mean rank over the problems that all ran.
    """
    problems = series_of(records)
    methods = list(dict.fromkeys(method for found in problems.values() for method in found))
    lines = [["problem", "seeds", *map(title, methods)], ["---"] * (len(methods) + 2)]
    lines += [row(problem, found, methods, checkpoints) for problem, found in problems.items()]
    lines.append(["mean rank", "", *mean_ranks(list(problems.values()), methods, checkpoints)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def row(problem: str, found: dict[str, Series], methods: Sequence[str], checkpoints: Sequence[int]) -> list[str]:
    seeds = common_seeds(found)
    return [problem, str(len(seeds)), *(cell(found[m], seeds, checkpoints) if m in found else "" for m in methods)]


def common_seeds(found: dict[str, Series]) -> list[int]:
    return sorted(set.intersection(*(set(series.runs) for series in found.values())))


def cell(series: Series, seeds: Sequence[int], checkpoints: Sequence[int]) -> str:
    parts = []
    for checkpoint in checkpoints:
        values = [series.sign * loss for seed, loss in series.at(checkpoint).items() if seed in seeds]
        mean, error = mean_and_error(values) if values else (float("nan"), float("nan"))
        parts.append(f"{mean:.4g} ± {error:.2g}" if values else "–")
    return " / ".join(parts)


def mean_ranks(problems: Sequence[dict[str, Series]], methods: Sequence[str], checkpoints: Sequence[int]) -> Iterator[str]:
    """For each method the mean over problems and seeds of its rank at each checkpoint."""
    shared = [found for found in problems if set(found) == set(methods)]
    table: dict[tuple[str, int], list[float]] = {}
    for found in shared:
        for seed in common_seeds(found):
            for checkpoint in checkpoints:
                losses = {method: found[method].at(checkpoint).get(seed) for method in methods}
                if None not in losses.values():
                    for method, rank in ranks(losses).items():
                        table.setdefault((method, checkpoint), []).append(rank)
    for method in methods:
        yield " / ".join(f"{np.mean(table[method, at]):.2f}" if (method, at) in table else "–" for at in checkpoints)
