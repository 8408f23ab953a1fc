"""Run cells, each in its own process with one BLAS thread, and record each one when it ends."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, median

from benchmarks.ledger import Cell, Record
from benchmarks.peers import peer

ROOT = Path(__file__).resolve().parent.parent
TORCH_PYTHON = ROOT / ".venv-torch" / "bin" / "python"
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
POLL_SECONDS = 0.05
TIMED_UNTIL = 200
"""Seconds per suggestion are averaged from the first suggestion up to this evaluation."""


@dataclass(frozen=True)
class Running:
    cell: Cell
    process: subprocess.Popen
    folder: tempfile.TemporaryDirectory
    began: float


def run(
    cells: Sequence[Cell],
    *,
    jobs: int,
    cap_seconds: float | None,
    ended: Callable[[Record], None],
    until: float = math.inf,
) -> None:
    """Run every cell once, `jobs` at a time, and call `ended` with each result as it arrives.

    A cell is stopped after `cap_seconds` of processor time, which other programs on the machine hardly change. Its results so
    far are kept.

    Cells that still run at the time `until` of the monotonic clock are stopped without a record: they are run again next time.
    """
    waiting, running = list(reversed(cells)), []
    try:
        while (waiting or running) and time.monotonic() < until:
            while waiting and len(running) < jobs:
                running.append(started(waiting.pop(), cap_seconds))
            time.sleep(POLL_SECONDS)
            for child in list(running):
                if status := status_of(child):
                    running.remove(child)
                    ended(result(child, status))
    finally:
        for child in running:
            stop(child)
            child.folder.cleanup()


def started(cell: Cell, cap_seconds: float | None) -> Running:
    python = str(TORCH_PYTHON) if peer(cell.method).torch else sys.executable
    environment = os.environ | dict.fromkeys(THREADS, "1")
    path = [str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, path))
    folder = tempfile.TemporaryDirectory(prefix="arena-")
    with open(f"{folder.name}/out", "wb") as out, open(f"{folder.name}/err", "wb") as err:
        command = [
            python,
            "-m",
            "benchmarks.cell",
            json.dumps(asdict(cell)),
            *([] if cap_seconds is None else [str(cap_seconds)]),
        ]
        process = subprocess.Popen(command, env=environment, stdout=out, stderr=err)
    return Running(cell, process, folder, time.monotonic())


def status_of(child: Running) -> str | None:
    """Return None while the cell runs, then `done`, `failed`, or `capped` if the system stopped it at its time limit."""
    code = child.process.poll()
    if code is None:
        return None
    return "capped" if code == -signal.SIGXCPU else "failed" if code else "done"


def stop(child: Running) -> None:
    child.process.kill()
    child.process.wait()


def result(child: Running, status: str) -> Record:
    """Return the cell's results so far, whatever its status; for a failed cell also the end of its error output."""
    header, *evaluations = lines(Path(child.folder.name, "out")) or [{}]
    errors = Path(child.folder.name, "err").read_text(encoding="utf-8", errors="replace")
    child.folder.cleanup()
    ending = evaluations.pop() if evaluations and isinstance(evaluations[-1], dict) else {}
    record = asdict(child.cell) | {"status": status, "evaluations": len(evaluations)} | header | ending
    if status == "failed":
        record["error"] = errors[-2000:]
    if evaluations:
        values, seconds, memory = zip(*evaluations, strict=True)
        record["best"] = list(improvements(values, header["direction"]))
        record["seconds"] = summary(seconds[header["initial"] :], TIMED_UNTIL - header["initial"])
        record["memory_mb"] = max(memory)
    record["wall_seconds"] = round(time.monotonic() - child.began, 2)
    return record


def lines(path: Path) -> list:
    complete, _, _torn = path.read_text(encoding="utf-8").rpartition("\n")
    return [json.loads(line) for line in complete.splitlines()]


def improvements(values: Sequence[float], direction: str) -> Iterator[tuple[int, float]]:
    """Yield (evaluation, value) for every improvement of the best value, to 10 significant digits."""
    sign = -1.0 if direction == "maximize" else 1.0
    best = float("inf")
    for evaluation, value in enumerate(values, start=1):
        if sign * value < best:
            best = sign * value
            yield evaluation, float(f"{value:.10g}")


def summary(seconds: Sequence[float], timed: int) -> dict[str, float] | None:
    """Mean, median and maximum over the first `timed` suggestions but the very first, which pays for lazy imports."""
    if not (first := seconds[1:timed]):
        return None
    figures = {"mean": fmean(first), "median": median(first), "max": max(first), "total": sum(seconds)}
    return {name: float(f"{value:.4g}") for name, value in figures.items()}
