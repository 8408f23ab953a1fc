"""Run one method once on one problem."""

from __future__ import annotations

import math
import time
import traceback
import warnings
from dataclasses import asdict

from benchmarks.cell import versions
from benchmarks.ledger import Cell, Record
from benchmarks.outcomes import methods
from benchmarks.outcomes.problems import PROBLEMS

AT = (25, 50, 75, 100, 150)


def run(cell: Cell) -> Record:
    """Run one method once; return its score at each checkpoint and the seconds of processor time."""
    warnings.simplefilter("ignore")
    problem, began = PROBLEMS[cell.problem](), time.process_time()
    record = asdict(cell) | {"versions": versions()}
    try:
        found = methods.run(cell.method, problem, cell.budget, cell.seed)
    except Exception:
        return record | {"status": "failed", "error": traceback.format_exc()[-2000:]}
    seconds = time.process_time() - began
    scores = {str(n): problem.score(found[:n]) for n in AT if n <= cell.budget}
    shown = {n: float(f"{score:.8g}") if math.isfinite(score) else None for n, score in scores.items()}
    return record | {"status": "done", "scores": shown, "processor_seconds": round(seconds, 2)}
