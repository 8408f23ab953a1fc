"""The README's tables of results and its figure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import figures
from benchmarks.ledger import Record
from benchmarks.series import Series, series_of
from benchmarks.statistics import mean_and_error

METHODS = {"default": "default", "paper": "paper", "optuna-gp": "GPSampler", "optuna-tpe": "TPE", "random": "random"}
FIGURE = "bench-readme.png"
MOST_DECIMALS = 4


@dataclass(frozen=True)
class Rows:
    """A table of the README: problem -> name for readers."""

    checkpoints: tuple[int, ...]
    problems: Mapping[str, str]
    note: str = ""

    @property
    def head(self) -> str:
        return f"| mean best value after {' / '.join(map(str, self.checkpoints))} evaluations{self.note} |"


TABLES = (
    Rows(
        (25, 50, 100),
        {
            "direct-arylation": "direct arylation, yield % (larger is better)",
            "aryl-amination": "aryl amination, yield % (larger)",
            "x264": "x264, seconds (smaller)",
            "berkeleydb": "Berkeley DB, response time (smaller)",
        },
    ),
    Rows(
        (200,),
        {
            "pest-25": "Pest-25",
            "contamination-25": "Contamination-25",
            "ackley-53": "Ackley-53",
            "maxcut-hamming8-2.clq": "43-variable max-cut",
        },
        " (smaller is better)",
    ),
)
DRAWN = (*TABLES[0].problems, "sparse-120-2-12#100", "pest-25", "ackley-53", "labs-50")
Found = Mapping[str, Mapping[str, Series]]


def update(records: Sequence[Record], readme: Path, images: Path) -> list[Path]:
    """Write the tables into the README, in place of those that it has, and the figure; return the paths."""
    problems = series_of(records)
    text = readme.read_text("utf-8")
    for rows in TABLES:
        text = re.sub(
            rf"^{re.escape(rows.head)}.*?\n(?=\n)", lambda _, rows=rows: table(rows, problems), text, flags=re.M | re.S
        )
    readme.write_text(text, "utf-8")
    drawn = {name: {m: problems[name][m] for m in METHODS if m in problems[name]} for name in DRAWN if name in problems}
    (images / FIGURE).write_bytes(figures.overview(drawn, width=2.5, until=200))
    return [readme, images / FIGURE]


def table(rows: Rows, problems: Found) -> str:
    lines = [f"{rows.head} {' | '.join(METHODS.values())} |", "|---" * (len(METHODS) + 1) + "|"]
    lines += [
        f"| {name} | {' | '.join(cells(problems.get(problem, {}), rows.checkpoints))} |"
        for problem, name in rows.problems.items()
    ]
    return "".join(f"{line}\n" for line in lines)


def cells(found: Mapping[str, Series], checkpoints: Sequence[int]) -> list[str]:
    """Return one cell per method: its means at the checkpoints, the best of each in bold."""
    means = [{m: mean for m in METHODS if m in found and (mean := mean_at(found[m], n)) is not None} for n in checkpoints]
    decimals = max(decimals_for(list(known.values())) for known in means)

    def shown(known: Mapping[str, float], method: str) -> str:
        if method not in known:
            return "–"
        text = f"{found[method].sign * known[method]:.{decimals}f}".replace("-", "−")
        return f"**{text}**" if round(known[method], decimals) == round(min(known.values()), decimals) else text

    return [" / ".join(shown(known, method) for known in means) if method in found else "–" for method in METHODS]


def decimals_for(losses: Sequence[float]) -> int:
    """Return how many decimals show three digits of the differences and two of the best."""
    digits = {3: max(losses, default=0.0) - min(losses, default=0.0), 2: abs(min(losses, default=0.0))}
    wanted = (count - 1 - math.floor(math.log10(size)) for count, size in digits.items() if size > 0)
    return min(MOST_DECIMALS, max(0, *wanted, 0))


def mean_at(series: Series, n: int) -> float | None:
    """Return the mean loss after n evaluations, if every seed came so far."""
    return mean_and_error(list(series.at(n).values()))[0] if series.reached >= n else None
