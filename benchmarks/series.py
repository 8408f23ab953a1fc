"""Results in the shape of the report's questions: all seeds of one method on one problem."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np

from benchmarks import tables
from benchmarks.ledger import Record
from benchmarks.peers import PEERS
from benchmarks.suites import WCNF

OURS = "default"
NEAR = 1e-4
"""How near to the optimum, relative to its size (at least 1), a run has reached it."""


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
        """As a loss; None where nobody knows it."""
        return None if self.first["optimum"] is None else self.sign * self.first["optimum"]

    @property
    def reached(self) -> int:
        """The evaluations that every seed reached."""
        return min(run["evaluations"] for run in self.runs.values())

    def at(self, evaluation: int) -> dict[int, float]:
        """Seed -> lowest loss so far, of the seeds that came so far."""
        return {
            seed: self.sign * best_at(run["best"], evaluation)
            for seed, run in self.runs.items()
            if run["evaluations"] >= evaluation
        }

    def curves(self) -> tuple[np.ndarray, np.ndarray]:
        """Evaluations after the initial ones, (n,), and the lowest losses at each of them, (seeds, n)."""
        evaluations = np.arange(self.first["initial"], self.reached + 1)
        losses = [[self.sign * best_at(run["best"], n) for n in evaluations] for run in self.runs.values()]
        return evaluations, np.array(losses)

    def solved(self) -> int | None:
        """How many seeds reached the optimum within their budget."""
        if self.optimum is None:
            return None
        slack = NEAR * max(1.0, abs(self.optimum))
        return sum(self.sign * run["best"][-1][1] <= self.optimum + slack for run in self.runs.values())

    def seconds(self) -> float | None:
        """Mean seconds a suggestion."""
        means = [run["seconds"]["mean"] for run in self.runs.values() if run["seconds"]]
        return float(np.mean(means)) if means else None


def best_at(best: list[tuple[int, float]], evaluation: int) -> float:
    return best[bisect_right(best, evaluation, key=lambda step: step[0]) - 1][1]


def series_of(records: Iterable[Record]) -> dict[str, dict[str, Series]]:
    """Problem -> method -> series. Failed runs are left out; of two runs of one seed the longer counts."""
    runs: dict[str, dict[str, dict[int, Record]]] = defaultdict(lambda: defaultdict(dict))
    for record in sorted(records, key=lambda record: (record["seed"], record["evaluations"])):
        if record["status"] != "failed" and "best" in record:
            runs[problem_title(record["problem"])][method_name(record)][record["seed"]] = record
    return {
        problem: {method: Series(problem, method, seeds) for method, seeds in sorted(methods.items(), key=_order)}
        for problem, methods in runs.items()
    }


def problem_title(problem: str) -> str:
    return PurePath(problem).stem if problem.startswith((WCNF, tables.PREFIX)) else problem


def method_name(record: Record) -> str:
    return record["method"] if record["batch"] == 1 else f"{record['method']} (batches of {record['batch']})"


def title(method: str) -> str:
    """The method as people call it."""
    name, space, batch = method.partition(" ")
    return (PEERS[name].title if name in PEERS else f"casmopolitan {name}") + space + batch


def is_peer(method: str) -> bool:
    """Whether the method is someone else's."""
    return method.split(" ")[0] in PEERS


def _order(item: tuple[str, object]) -> tuple[bool, bool, str]:
    method = item[0]
    return method != OURS, is_peer(method), method
