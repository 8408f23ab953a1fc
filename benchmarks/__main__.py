"""`python -m benchmarks run ...` fills a results file, `python -m benchmarks report` makes a page from it."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from pathlib import Path

from benchmarks import arena, ledger
from benchmarks.paper.command import add_arguments, run_paper
from benchmarks.peers import PEERS, peer
from benchmarks.progress import Progress
from casmopolitan.formatting import counted

RESULTS = Path("benchmarks/results")
RECORDS = ("default", "paper", "peers", "tables", "tables-peers", "held-out", "planted", "gb1")
"""Results that the report is made from: test problems with shared first points, measured tables, planted functions, plates."""
OWN_START_SUITES = ("tables", "planted", "planted-judge")
"""Suites in which every method chooses its own first points, as its users would see it."""
OTHER_SEEDS = RESULTS / "fresh-seeds.jsonl"
"""The default on further seeds."""
RATIOS = (RESULTS / "ratio.jsonl", RESULTS / "ratio-tables.jsonl")
"""The default and the GPSampler in one run: their seconds."""
OUTCOMES = RESULTS / "outcomes.jsonl"
"""Runs with limits or several objectives, of `python -m benchmarks.outcomes`."""


def main(arguments: list[str] | None = None) -> None:
    options = parser().parse_args(arguments)
    options.action(options)


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    actions = top.add_subparsers(required=True)
    run = actions.add_parser("run", help="run problem x method x seed; finished cells are skipped")
    run.set_defaults(action=run_cells)
    run.add_argument("--suite", default="smoke", help="smoke, core, full, tables, planted or planted-judge")
    run.add_argument("--tables", type=Path, help="folder of CSV files for the suite of measured tables and for table:NAME")
    run.add_argument("--released", type=Path, help="folder of the authors' code, for the method released-code")
    run.add_argument(
        "--start",
        type=first_points,
        help="first points: shared (20 random ones for all), a number of random ones, or each method's own (tables, planted)",
    )
    run.add_argument("--problems", type=names, default=[], help="these instead of the suite's; name@3 is relocated")
    run.add_argument("--wcnf", type=names, default=[], help="MaxSAT files, added to the problems")
    run.add_argument("--methods", type=names, default=["default"], help=f"{', '.join(PEERS)}, default, paper, ...")
    run.add_argument("--seeds", type=seeds, default=range(5), help="N for 0 to N - 1, or A-B")
    run.add_argument("--budget", type=int, default=200, help="evaluations, the 20 initial ones included")
    run.add_argument("--batch", type=int, default=1, help="suggestions asked for at a time")
    run.add_argument("--jobs", type=int, default=1, help="cells at a time")
    run.add_argument("--cap-seconds", type=float, help="stop a cell after this processor time and keep its results so far")
    run.add_argument("--out", type=Path, help="default: benchmarks/results/SUITE.jsonl")
    run.add_argument("--retry", action="store_true", help="run failed cells again")
    table = actions.add_parser("table", help="print mean best values, standard errors and mean ranks at checkpoints")
    table.set_defaults(action=print_table)
    table.add_argument("results", type=Path, nargs="+", help="results files")
    table.add_argument("--at", type=lambda text: [int(n) for n in text.split(",")], default=[25, 50, 100])
    compare = actions.add_parser("compare", help="print a method's losses before and after a change, on the same seeds")
    compare.set_defaults(action=print_changes)
    compare.add_argument("before", type=Path, help="results file of the earlier code")
    compare.add_argument("after", type=Path, help="results file of the later code")
    compare.add_argument("--at", type=lambda text: [int(n) for n in text.split(",")], default=[100, 200])
    compare.add_argument("--method", default="default")
    report = actions.add_parser("report", help="make docs/benchmarks.md, .html, the figures and the README's results")
    report.set_defaults(action=write_report)
    report.add_argument("--results", type=Path, nargs="+", help="default: those of benchmarks/results")
    report.add_argument("--other-seeds", type=Path, help="runs on further seeds, in a table of their own")
    report.add_argument("--out", type=Path, default=Path("docs/benchmarks"), help="path of the page without its ending")
    paper = actions.add_parser("paper", help="make a figure or table of the paper again from runs on this machine")
    paper.set_defaults(action=run_paper)
    add_arguments(paper, seeds, names)
    return top


def run_cells(options: argparse.Namespace) -> None:
    from benchmarks import tables
    from benchmarks.peers import released_code
    from benchmarks.peers.ours import config_named
    from benchmarks.suites import WCNF, problem_named, suite

    if options.tables:
        os.environ[tables.FOLDER] = str(options.tables.resolve())
    if options.released:
        os.environ[released_code.FOLDER] = str(options.released.resolve())
    problems = options.problems or ([] if options.wcnf else suite(options.suite, options.tables))
    problems += [f"{WCNF}{path}" for path in options.wcnf]
    for problem in problems:
        problem_named(problem)
    for method in options.methods:
        if method not in PEERS:
            config_named(method)
    own = options.suite in OWN_START_SUITES and not options.problems
    start = options.start or ("own" if own else "shared")
    cells = [
        ledger.Cell(problem, method, seed, options.budget, options.batch, start)
        for seed in options.seeds
        for problem in problems
        for method in options.methods
    ]
    if any(peer(method).torch for method in options.methods) and not arena.TORCH_PYTHON.exists():
        raise SystemExit(f"Some of these methods need {arena.TORCH_PYTHON}: make bench-env")
    out = options.out or RESULTS / f"{options.suite}.jsonl"
    ledger.drop_torn_line(out)
    todo = ledger.unfinished(cells, ledger.read(out), retry=options.retry)
    print(f"{counted(len(todo), 'cell')} to run, {len(cells) - len(todo)} done before; results go to {out}", file=sys.stderr)
    progress = Progress(len(todo))
    command = shlex.join(["python", "-m", "benchmarks", *sys.argv[1:]])

    def ended(record: ledger.Record) -> None:
        ledger.append(out, record | {"command": command})
        progress.step(told(record))

    try:
        arena.run(todo, jobs=options.jobs, cap_seconds=options.cap_seconds, ended=ended)
    except KeyboardInterrupt:
        raise SystemExit("\nStopped. The same command goes on from here.") from None


def told(record: ledger.Record) -> str:
    """Return one line about a finished cell."""
    cell = f"{record['problem']} {record['method']} seed {record['seed']}"
    if record["status"] == "failed":
        return f"{cell}: failed, {(record['error'].strip().splitlines() or ['no message'])[-1]}"
    best = f"{record['best'][-1][1]:.6g}" if "best" in record else "nothing"
    at = f" ({record['status']} at {record['evaluations']})" if record["status"] == "capped" else ""
    return f"{cell}: {best}{at}, {record['wall_seconds']:.0f} s"


def write_report(options: argparse.Namespace) -> None:
    from benchmarks import readme
    from benchmarks.report import write

    paths = options.results or [path for name in RECORDS if (path := RESULTS / f"{name}.jsonl").exists()]
    records = [record for path in paths for record in ledger.read(path)]
    if not records:
        raise SystemExit(f"No results in {[str(path) for path in paths] or RESULTS}; `python -m benchmarks run` first.")
    others = options.other_seeds or (None if options.results else OTHER_SEEDS)
    timed = [] if options.results else [record for path in RATIOS for record in ledger.read(path)]
    outcomes = [] if options.results else ledger.read(OUTCOMES)
    for path in write(records, options.out, ledger.read(others) if others else [], timed, outcomes):
        print(path)
    if not options.results:
        for path in readme.update(records, Path("README.md"), options.out.parent / "images"):
            print(path)


def print_table(options: argparse.Namespace) -> None:
    from benchmarks.checkpoints import table

    print(table([record for path in options.results for record in ledger.read(path)], options.at))


def print_changes(options: argparse.Namespace) -> None:
    from benchmarks.checkpoints import changes

    print(changes(ledger.read(options.before), ledger.read(options.after), options.at, options.method))


def names(text: str) -> list[str]:
    """Split at commas, but not inside [brackets]."""
    return [name for name in re.split(r",(?![^\[]*\])", text) if name]


def first_points(text: str) -> str:
    if text in ("shared", "own") or (text.isdigit() and int(text) > 0):
        return text
    raise argparse.ArgumentTypeError(f"{text!r} is not shared, own or a number")


def seeds(text: str) -> range:
    first, _, last = text.rpartition("-")
    return range(int(first), int(last) + 1) if first else range(int(last))


if __name__ == "__main__":
    main()
