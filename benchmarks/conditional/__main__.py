"""Run methods on problems with conditional variables: `python -m benchmarks.conditional --methods default,smac --seeds 20`.

Every run is appended to a file of JSON lines when it ends; the same command goes on from there. Then a table of all results in
the file is printed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from benchmarks import ledger
from benchmarks.__main__ import seeds
from benchmarks.arena import THREADS
from benchmarks.conditional.cell import AT, run
from benchmarks.conditional.methods import METHODS
from benchmarks.conditional.problems import PROBLEMS
from benchmarks.outcomes.__main__ import names
from benchmarks.page import Block, Paragraph, Table, markdown
from benchmarks.progress import Progress
from benchmarks.statistics import mean_and_error

OUT = Path("benchmarks/results/conditional.jsonl")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.conditional", description=__doc__)
    parser.add_argument("--problems", type=names(PROBLEMS), default=list(PROBLEMS), help=f"default: {','.join(PROBLEMS)}")
    parser.add_argument("--methods", type=names(METHODS), default=[], help=", ".join(METHODS))
    parser.add_argument("--seeds", type=seeds, default=range(5), help="20 for seeds 0 to 19, or 20-39")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, default=OUT, help="file of JSON lines to append to")
    options = parser.parse_args(arguments)
    cells = [
        ledger.Cell(problem, method, seed, PROBLEMS[problem]().budget, start="own")
        for problem in options.problems
        for seed in options.seeds
        for method in options.methods
    ]
    ledger.drop_torn_line(options.out)
    todo = ledger.unfinished(cells, ledger.read(options.out), retry=True)
    command = shlex.join(["python", "-m", "benchmarks.conditional", *(sys.argv[1:] if arguments is None else arguments)])
    os.environ.update(dict.fromkeys(THREADS, "1"))
    progress = Progress(len(todo))
    with ProcessPoolExecutor(options.jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        for ended in as_completed([pool.submit(run, cell) for cell in todo]):
            record = ended.result()
            ledger.append(options.out, record | {"command": command})
            result = record["error"].strip().splitlines()[-1] if "error" in record else str(record["scores"])
            progress.step(f"{record['problem']} {record['method']} seed {record['seed']}: {result}")
    print(markdown(list(page(ledger.read(options.out))), "images"))


def page(records: Sequence[ledger.Record]) -> Iterator[Block]:
    """Yield the table of mean best values and their standard errors."""
    done = [record for record in records if record["status"] == "done"]
    used = [method for method in METHODS if any(record["method"] == method for record in done)]
    rows = []
    for problem in PROBLEMS:
        for at in AT:
            found = {m: [r["scores"][str(at)] for r in done if (r["problem"], r["method"]) == (problem, m)] for m in used}
            best = min((mean_and_error(values)[0] for values in found.values() if values), default=0.0)
            rows.append([f"{problem}, at {at}", *(shown(found[method], best) for method in used)])
    yield Paragraph("The best value so far, mean ± standard error over the seeds. Smaller is better. Bold: the best mean.")
    yield Table(["problem", *(METHODS[method] for method in used)], rows)


def shown(values: Sequence[float], best: float) -> str:
    if not values:
        return "–"
    mean, error = mean_and_error(values)
    text = f"{mean:.3g} ± {error:.1g}"
    return f"**{text}**" if mean <= best else text


if __name__ == "__main__":
    main()
