"""Run one method once on one problem."""

from __future__ import annotations

import time
import traceback
import warnings
from dataclasses import asdict

from benchmarks import ledger
from benchmarks.cell import versions
from benchmarks.conditional import methods
from benchmarks.conditional.problems import PROBLEMS

AT = (25, 50)


def run(cell: ledger.Cell) -> ledger.Record:
    """Run one method once; return its best value at each checkpoint and the seconds of processor time."""
    warnings.simplefilter("ignore")
    record, began = asdict(cell) | {"versions": versions()}, time.process_time()
    try:
        values = methods.run(cell.method, PROBLEMS[cell.problem](), cell.budget, cell.seed)
    except Exception:
        return record | {"status": "failed", "error": traceback.format_exc()[-2000:]}
    scores = {str(n): float(f"{min(values[:n]):.8g}") for n in AT}
    return record | {"status": "done", "scores": scores, "processor_seconds": round(time.process_time() - began, 2)}
