"""Write the numbers of docs/paper.md from the results files: python docs/paper_numbers.py"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from pathlib import Path
from statistics import mean, stdev

PAGE = Path(__file__).parent / "paper.md"
RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"
BEGIN, END = "<!-- numbers: begin -->", "<!-- numbers: end -->"

TABLES = (
    ("paper.jsonl", "`PAPER`, started from 20 random points", (85, 100, 150, 200)),
    ("paper-readings.jsonl", "Readings and ablations on fresh seeds", (50, 75, 100)),
    ("released-code.jsonl", "The released code", (50, 75, 85, 100)),
)


def best_at(record: dict, n: int) -> float | None:
    """Return the best value of a run after n evaluations; None if it ended before."""
    return None if record["evaluations"] < n else [value for number, value in record["best"] if number <= n][-1]


def shown(values: list[float]) -> str:
    """Return mean ± standard error; of one value, the value."""
    error = f" ± {stdev(values) / math.sqrt(len(values)):.3f}" if len(values) > 1 else ""
    return f"{mean(values):.3f}{error}"


def table(file: str, title: str, checkpoints: tuple[int, ...]) -> list[str]:
    """Return one row per problem and method of a results file."""
    runs = defaultdict(list)
    for line in (RESULTS / file).read_text("utf-8").splitlines():
        record = json.loads(line)
        runs[record["problem"], record["method"]].append(record)
    lines = [f"{title} (`benchmarks/results/{file}`):", ""]
    heads = ["problem", "method", "seeds", *(f"after {n}" for n in checkpoints)]
    lines += [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for (problem, method), records in sorted(runs.items()):
        found = [[value for record in records if (value := best_at(record, n)) is not None] for n in checkpoints]
        cells = [shown(values) if values else "–" for values in found]
        lines.append(f"| {problem} | `{method}` | {len(records)} | {' | '.join(cells)} |")
    return [*lines, ""]


def page(text: str) -> str:
    """Return the page with up-to-date numbers."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    body = "\n".join(line for arguments in TABLES for line in table(*arguments))
    return f"{before}{BEGIN}\n{body}{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
