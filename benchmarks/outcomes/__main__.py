"""Run methods on problems with limits or several objectives: `python -m benchmarks.outcomes [--tables FOLDER] ...`.

Every run is appended to a file of JSON lines when it ends; the same command goes on from there. Then a table of all results in
the file is printed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import shlex
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from benchmarks import ledger, tables
from benchmarks.__main__ import OUTCOMES, seeds
from benchmarks.arena import THREADS
from benchmarks.outcomes.cell import run
from benchmarks.outcomes.methods import METHODS
from benchmarks.outcomes.problems import LIMITED, PROBLEMS
from benchmarks.outcomes.table import page
from benchmarks.page import markdown
from benchmarks.progress import Progress


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.outcomes", description=__doc__)
    parser.add_argument("--problems", type=names(PROBLEMS), default=list(PROBLEMS), help=f"default: {','.join(PROBLEMS)}")
    parser.add_argument(
        "--methods", type=names(METHODS, ("default:",)), default=[], help=f"{', '.join(METHODS)}, default:FIELD=JSON"
    )
    parser.add_argument("--seeds", type=seeds, default=range(5), help="20 for seeds 0 to 19, or 20-39")
    parser.add_argument("--budget", type=int, help="evaluations; default: 150 with limits, 100 with several objectives")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--tables", type=Path, help="folder of the tables arylation-yield-cost and lipid-particles")
    parser.add_argument("--out", type=Path, default=OUTCOMES, help="file of JSON lines to append to")
    options = parser.parse_args(arguments)
    if options.tables is not None:
        os.environ[tables.FOLDER] = str(options.tables.resolve())
    cells = [
        ledger.Cell(problem, method, seed, options.budget or (150 if problem in LIMITED else 100), start="own")
        for seed in options.seeds
        for problem in options.problems
        for method in options.methods
    ]
    ledger.drop_torn_line(options.out)
    todo = ledger.unfinished(cells, ledger.read(options.out), retry=True)
    command = shlex.join(["python", "-m", "benchmarks.outcomes", *(sys.argv[1:] if arguments is None else arguments)])
    run_all(todo, options.jobs, options.out, command)
    print(markdown(list(page(ledger.read(options.out))), "images"))


def names(known, variants=()):
    """Return a parser of names, separated by commas; names that start with one of `variants` are allowed too."""

    def parse(text: str) -> list[str]:
        chosen = text.split(",")
        if unknown := [name for name in chosen if name not in known and not name.startswith(variants)]:
            raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: unknown; choose from {', '.join(known)}")
        return chosen

    return parse


def run_all(cells: list[ledger.Cell], jobs: int, out: Path, command: str) -> None:
    """Run cells in `jobs` processes with one thread each, and record each as it ends."""
    os.environ.update(dict.fromkeys(THREADS, "1"))
    progress = Progress(len(cells))
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        for ended in as_completed([pool.submit(run, cell) for cell in cells]):
            record = ended.result()
            ledger.append(out, record | {"command": command})
            result = record["error"].strip().splitlines()[-1] if "error" in record else str(record["scores"])
            progress.step(f"{record['problem']} {record['method']} seed {record['seed']}: {result}")


if __name__ == "__main__":
    main()
