"""Results grouped for the report: all seeds of one method on one problem."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np

from benchmarks import planted, tables
from benchmarks.ledger import Record
from benchmarks.peers import PEERS
from benchmarks.suites import WCNF

OURS = "default"
NEAR = 1e-4
"""A run within this distance of the optimum, relative to its size (at least 1), has found it."""


@dataclass(frozen=True)
class Series:
    """The runs of one method on one problem by seed; losses are minimised whatever the problem's direction."""

    problem: str
    method: str
    runs: dict[int, Record]

    @property
    def first(self) -> Record:
        return next(iter(self.runs.values()))

    @property
    def sign(self) -> float:
        return -1.0 if self.first["direction"] == "maximize" else 1.0

    @property
    def optimum(self) -> float | None:
        """The optimum as a loss; None if it is unknown."""
        return None if self.first["optimum"] is None else self.sign * self.first["optimum"]

    @property
    def reached(self) -> int:
        """The number of evaluations that every seed reached."""
        return min(run["evaluations"] for run in self.runs.values())

    def at(self, evaluation: int) -> dict[int, float]:
        """Return seed -> lowest loss after n evaluations, for the seeds that reached n."""
        return {
            seed: self.sign * best_at(run["best"], evaluation)
            for seed, run in self.runs.items()
            if run["evaluations"] >= evaluation
        }

    def curves(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the evaluations after the initial ones, (n,), and the lowest losses at each, (seeds, n)."""
        evaluations = np.arange(max(1, self.first["initial"]), self.reached + 1)
        losses = [[self.sign * best_at(run["best"], n) for n in evaluations] for run in self.runs.values()]
        return evaluations, np.array(losses)

    def solved(self) -> int | None:
        """Return how many seeds found the optimum within their budget."""
        if self.optimum is None:
            return None
        slack = NEAR * max(1.0, abs(self.optimum))
        return sum(self.sign * run["best"][-1][1] <= self.optimum + slack for run in self.runs.values())

    def seconds(self) -> float | None:
        """Return the mean seconds per suggestion."""
        means = [run["seconds"]["mean"] for run in self.runs.values() if run["seconds"]]
        return float(np.mean(means)) if means else None


def best_at(best: list[tuple[int, float]], evaluation: int) -> float:
    """Return the best value after n evaluations; before anything was measured, the first value that was."""
    return best[max(0, bisect_right(best, evaluation, key=lambda step: step[0]) - 1)][1]


def series_of(records: Iterable[Record]) -> dict[str, dict[str, Series]]:
    """Return problem -> method -> series, without failed runs; of two runs with one seed, the longer."""
    runs: dict[str, dict[str, dict[int, Record]]] = defaultdict(lambda: defaultdict(dict))
    for record in sorted(records, key=lambda record: (record["seed"], record["evaluations"])):
        if record["status"] != "failed" and "best" in record:
            runs[problem_title(record["problem"])][method_name(record)][record["seed"]] = record
    return {
        problem: {method: Series(problem, method, seeds) for method, seeds in sorted(methods.items(), key=_order)}
        for problem, methods in runs.items()
    }


def problem_title(problem: str) -> str:
    if problem.startswith(tables.PREFIX):
        return tables.title(problem)
    if problem.startswith(planted.PREFIX):
        return problem.removeprefix(planted.PREFIX)
    return PurePath(problem).stem if problem.startswith(WCNF) else problem


def method_name(record: Record) -> str:
    """The method, and in brackets its batches and its number of random points, if they are not the usual ones."""
    start = record.get("start", "shared")
    notes = [f"{start} random points"] if start.isdigit() else []
    notes += [f"batches of {record['batch']}"] if record["batch"] > 1 else []
    return f"{record['method']} ({', '.join(notes)})" if notes else record["method"]


def title(method: str) -> str:
    """Return the method's name for readers."""
    name, space, batch = method.partition(" ")
    return (PEERS[name].title if name in PEERS else f"casmopolitan {name}") + space + batch


def is_peer(method: str) -> bool:
    """Return whether the method is a peer, not one of our presets."""
    return method.split(" ")[0] in PEERS


def _order(item: tuple[str, object]) -> tuple[bool, bool, str]:
    method = item[0]
    return method != OURS, is_peer(method), method
