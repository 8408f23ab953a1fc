"""An experiment of the paper as a record: its claims, its panels, and the cells to run at each scale."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.ledger import Cell, Record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from benchmarks.page import Block
    from benchmarks.paper.claims import Claim
    from benchmarks.paper.data import Data

SCALES = ("full", "half", "quick")
"""full: the paper's budgets and seeds. half: half the budget, 10 seeds. quick: about 40 evaluations, 2 seeds."""
CAPS = {"full": None, "half": None, "quick": 30.0}
"""Seconds of processor time after which a cell is stopped, unless the command says otherwise."""
SLOW = ("smac", "turbo", "combo", "bocs")
"""Methods that take more than about twice as long per suggestion as the others."""


@dataclass(frozen=True)
class Quick:
    """What is run at the scale `quick`."""

    budget: int = 40
    seeds: int = 2
    start: str = "shared"


@dataclass(frozen=True)
class Line:
    """One curve: a method, and its label if it differs from the method's name.

    problem: if it differs from the panel's. seeds: their maximum number. shown: False if only claims use it, not the figure.
    """

    method: str
    label: str = ""
    batch: int = 1
    problem: str = ""
    seeds: int | None = None
    shown: bool = True

    @property
    def name(self) -> str:
        return self.label or self.method


@dataclass(frozen=True)
class Panel:
    """One problem of an experiment. budget, seeds: the paper's. goal: the value of a success, if the rate of success is shown.

    instances: the problem's instances by scale, each of which counts as a seed; `problem` then names all of them together.
    log_regret: whether the logarithm of the distance to the optimum is drawn.
    """

    problem: str
    title: str
    lines: tuple[Line, ...]
    budget: int
    seeds: int = 20
    half_seeds: int = 10
    quick: Quick = Quick()
    goal: float | None = None
    instances: Callable[[str], Sequence[tuple[int, str]]] | None = None
    log_regret: bool = False

    def budget_at(self, scale: str) -> int:
        return {"full": self.budget, "half": self.budget // 2, "quick": self.quick.budget}[scale]

    def seeds_at(self, scale: str) -> range:
        return range({"full": self.seeds, "half": min(self.seeds, self.half_seeds), "quick": self.quick.seeds}[scale])

    def start_at(self, scale: str) -> str:
        return self.quick.start if scale == "quick" else "shared"

    def runs_at(self, line: Line, scale: str, seeds: Sequence[int] | None = None) -> Iterator[tuple[int, str]]:
        """Yield (seed, problem) of every run of a line."""
        if self.instances is None:
            chosen = (self.seeds_at(scale) if seeds is None else seeds)[: line.seeds]
            yield from ((seed, line.problem or self.problem) for seed in chosen)
        else:
            yield from self.instances(scale)

    def cells(self, scale: str, seeds: Sequence[int] | None = None) -> Iterator[Cell]:
        for line in self.lines:
            for seed, problem in self.runs_at(line, scale, seeds):
                yield Cell(problem, line.method, seed, self.budget_at(scale), line.batch, self.start_at(scale))


@dataclass(frozen=True)
class Experiment:
    """A figure or table of the paper.

    source: where it is in the paper. setting: budgets and readings, for the page. why: what may explain a different result.
    alone: its times are compared, so it uses no runs of other experiments. exact: computed, without runs to average.
    measure: how to run a cell in this process, if the arena does not record what is needed.
    """

    name: str
    title: str
    source: str
    claims: tuple[Claim, ...]
    panels: tuple[Panel, ...]
    draw: Callable[[Data], Figure]
    setting: str
    why: str = ""
    alone: bool = False
    exact: bool = False
    measure: Callable[[Cell], Record] | None = None
    table: Callable[[Data], list[Block]] | None = None

    def cells(self, scale: str, seeds: Sequence[int] | None = None) -> list[Cell]:
        """Return every cell once: all methods and panels of the first seed, then those of the second, and so on.

        The longest cells of a seed come first, so that no processor waits for one of them at the end.
        """
        distinct = dict.fromkeys(cell for panel in self.panels for cell in panel.cells(scale, seeds))
        return sorted(distinct, key=lambda cell: (cell.seed, cell.method not in SLOW, -cell.budget))

    @property
    def methods(self) -> list[str]:
        return list(dict.fromkeys(line.method for panel in self.panels for line in panel.lines))
