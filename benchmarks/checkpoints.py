"""Mean best values at a few evaluations, method by method, and mean ranks over the problems: a table in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from benchmarks.ledger import Record
from benchmarks.series import OURS, Series, series_of, title
from benchmarks.statistics import mean_and_error, ranks

Problems = Mapping[str, Mapping[str, Series]]


def table(records: Sequence[Record], checkpoints: Sequence[int]) -> str:
    """One row per problem and one column per method, each cell with the means ± standard errors at the checkpoints.

    Methods are compared on the seeds that all of them ran. The last row is the mean rank over the problems that all ran.
    """
    problems = series_of(records)
    methods = list(dict.fromkeys(method for found in problems.values() for method in found))
    lines = [["problem", "seeds", *map(title, methods)], ["---"] * (len(methods) + 2)]
    lines += [row(problem, found, methods, checkpoints) for problem, found in problems.items()]
    lines.append(["mean rank", "", *mean_ranks(problems, methods, checkpoints)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def changes(before: Sequence[Record], after: Sequence[Record], checkpoints: Sequence[int], method: str = OURS) -> str:
    """The losses of one method before and after a change, and their differences on the same seeds; negative is better."""
    old, new = series_of(before), series_of(after)
    lines = [["problem", "at", "seeds", "before", "after", "difference"], ["---"] * 6]
    for problem in (name for name in old if method in old[name] and method in new.get(name, {})):
        for n in checkpoints:
            was, now = old[problem][method].at(n), new[problem][method].at(n)
            if seeds := sorted(set(was) & set(now)):
                each = [was[s] for s in seeds], [now[s] for s in seeds], [now[s] - was[s] for s in seeds]
                shown = ["{:.5g} ± {:.2g}".format(*mean_and_error(values)) for values in each]
                lines.append([problem, str(n), str(len(seeds)), *shown])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def row(problem: str, found: dict[str, Series], methods: Sequence[str], checkpoints: Sequence[int]) -> list[str]:
    seeds = common_seeds({problem: found}, list(found), 1)
    return [problem, str(len(seeds)), *(cell(found[m], seeds, checkpoints) if m in found else "" for m in methods)]


def cell(series: Series, seeds: Sequence[int], checkpoints: Sequence[int]) -> str:
    parts = []
    for checkpoint in checkpoints:
        values = [series.sign * loss for seed, loss in series.at(checkpoint).items() if seed in seeds]
        mean, error = mean_and_error(values) if values else (float("nan"), float("nan"))
        parts.append(f"{mean:.4g} ± {error:.2g}" if values else "–")
    return " / ".join(parts)


def mean_ranks(problems: Problems, methods: Sequence[str], checkpoints: Sequence[int]) -> Iterator[str]:
    """For each method its mean rank at each checkpoint, over the problems and seeds that all ran."""
    shared = {problem: found for problem, found in problems.items() if set(found) == set(methods)}
    placed = [ranks_over(shared, methods, n, common_seeds(shared, methods, n)) for n in checkpoints]
    for method in methods:
        yield " / ".join(f"{found[method]:.2f}" if method in found else "–" for found in placed)


def ranks_over(problems: Problems, names: Sequence[str], n: int, seeds: Sequence[int]) -> dict[str, float]:
    """Return each method's mean rank at n evaluations over the problems and these seeds."""
    placed = []
    for found in problems.values():
        at = {name: found[name].at(n) for name in names}
        placed += [ranks({name: losses[seed] for name, losses in at.items()}) for seed in seeds]
    return {name: float(np.mean([ranked[name] for ranked in placed])) for name in names} if placed else {}


def common_seeds(problems: Problems, names: Sequence[str], n: int) -> list[int]:
    """Return the seeds with which all these methods reached n evaluations on every problem."""
    reached = [set(found[name].at(n)) for found in problems.values() for name in names]
    return sorted(set.intersection(*reached)) if reached else []
