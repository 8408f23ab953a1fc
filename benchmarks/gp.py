"""`python -m benchmarks.gp`: time and memory of the Gaussian process, one table, and JSON lines in benchmarks/results/gp.jsonl.

Every measurement has its own process with one BLAS thread. This process does not import NumPy, so that its size does not
enter their peak memory. If `.venv-torch/bin/python` has torch and BoTorch, BoTorch runs on the same data.
"""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "gp.jsonl"
TORCH = ROOT / ".venv-torch" / "bin" / "python"
ONE_CORE = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
SPACES, MODELS = ("50 binary + 3 real", "200 x 5 choices"), ("paper", "freed")
WEIGHED = (400, 1000, 2000)

Record = dict[str, object]


def lines(*command: str) -> Iterator[Record]:
    """Yield the JSON lines of a measuring process as they arrive."""
    environment = os.environ | ONE_CORE
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            yield json.loads(line)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with status {process.returncode}")


def measured() -> Iterator[Record]:
    """Yield every figure of the run."""
    own = (sys.executable, "-m", "benchmarks.gp_measure")
    with tempfile.TemporaryDirectory() as folder:
        yield from lines(*own, "speed", folder)
        for space in SPACES:
            for model in MODELS:
                for n in WEIGHED:
                    yield from lines(*own, "memory", space, model, str(n))
        if TORCH.exists():
            yield from lines(str(TORCH), "benchmarks/gp_botorch.py", folder)


class Figures:
    """The records of a run, looked up by what, space, model and n."""

    def __init__(self, records: list[Record]) -> None:
        self.at = {(r["what"], r["space"], r["model"], r["n"]): r for r in records if "n" in r}

    def get(self, what: str, space: str, model: str, n: int, field: str = "seconds") -> float | None:
        """Return one figure, or None if it was not measured."""
        found = self.at.get((what, space, model, n), {}).get(field)
        return None if found is None else float(str(found))

    def worst(self, what: str, space: str, n: int, field: str = "seconds") -> float:
        """Return the larger figure of the two models."""
        return max(self.get(what, space, model, n, field) or math.nan for model in MODELS)

    def growth(self, space: str, model: str, least: int) -> float:
        """Return the exponent p of time = c nᵖ by least squares on logarithms, for n >= least."""
        pairs = [(n, r["seconds"]) for (what, s, m, n), r in self.at.items() if (what, s, m) == ("likelihood", space, model)]
        x, y = zip(*((math.log(n), math.log(t)) for n, t in pairs if n >= least), strict=True)
        mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
        slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
        return slope / sum((a - mean_x) ** 2 for a in x)


def shown(value: float | None, unit: float = 1.0, digits: int = 2) -> str:
    return "" if value is None else f"{value * unit:.{digits}f}"


def table(figures: Figures) -> Iterator[str]:
    """Yield one row per space, model and size."""
    head = ("space", "model", "n", "lml+grad ms", "chol+inv ms", "ratio", "fit s", "evals", "1000 pts ms", "peak MB", "abs MB")
    widths = (20, 8, 5, 12, 12, 7, 8, 6, 12, 8, 7)
    yield " ".join(f"{cell:>{width}}" for cell, width in zip(head, widths, strict=True))
    for what, space, model, n in list(figures.at):
        if what != "likelihood":
            continue
        key = (space, model, n)
        cut = figures.at.get(("fit", *key), {}).get("cut", False)
        cells = (
            space,
            model,
            n,
            shown(figures.get("likelihood", *key), 1e3),
            shown(figures.get("likelihood", *key, "cholesky_seconds"), 1e3),
            shown(figures.get("likelihood", *key, "ratio")),
            (">" if cut else "") + shown(figures.get("fit", *key), digits=3),
            shown(figures.get("fit", *key, "evaluations"), digits=0),
            shown(figures.get("posterior", *key), 1e3),
            shown(figures.get("memory", *key, "megabytes"), digits=0),
            shown(figures.get("memory", *key, "absolute_megabytes"), digits=0),
        )
        yield " ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
    yield ""
    for (what, _, _, n), r in figures.at.items():
        if what == "fit, our stopping rule":
            yield f"BoTorch's fit by our stopping rule, n = {n}: {r['seconds']:.3f} s, {r['evaluations']} evaluations"
    for space in SPACES:
        for model in MODELS:
            whole, late = figures.growth(space, model, 0), figures.growth(space, model, 400)
            yield f"growth of likelihood time, {space}, {model}: n^{whole:.2f} over all n, n^{late:.2f} from n = 400"


def requirements(figures: Figures) -> Iterator[Record]:
    """Yield the requirements, on 50 + 3 unless stated; the slower of the two models counts."""

    def rule(text: str, figure: float, limit: float, *, at_least: bool = False) -> Record:
        met = figure >= limit if at_least else figure <= limit
        return {"what": "requirement", "text": text, "figure": figure, "limit": limit, "met": met}

    mixed = SPACES[0]
    yield rule("likelihood with gradient at n = 200 takes at most 4 ms", 1e3 * figures.worst("likelihood", mixed, 200), 4.0)
    yield rule("a whole L-BFGS-B fit at n = 200 takes at most 0.3 s", figures.worst("fit", mixed, 200), 0.3)
    names = {
        "likelihood": "likelihood with gradient",
        "fit, our stopping rule": "whole fit, both by our stopping rule,",
        "fit": "whole fit, each by its own stopping rule,",
    }
    for what, name in names.items():
        for n in (50, 100, 200):
            theirs = figures.get(what, mixed, "BoTorch", n)
            if theirs is not None:
                text = f"{name} at n = {n} at least 20 times faster than BoTorch's"
                yield rule(text, theirs / figures.worst(what.split(",")[0], mixed, n), 20.0, at_least=True)
    for space in SPACES:
        peak, ratio = figures.worst("memory", space, 2000, "megabytes"), figures.worst("likelihood", space, 2000, "ratio")
        yield rule(f"peak memory at n = 2000 under 500 MB, {space}", peak, 500.0)
        yield rule(f"time at n = 2000 within 2.5 times Cholesky and inverse, {space}", ratio, 2.5)


def main() -> None:
    """Measure, print and store the figures."""
    records = list(measured())
    versions = next(r for r in records if r["what"] == "versions")
    print(
        f"{platform.platform()}, {os.cpu_count()} cores (one used), "
        + ", ".join(f"{k} {v}" for k, v in versions.items() if k != "what")
    )
    figures = Figures(records)
    print("\n".join(table(figures)), end="\n\n")
    laws = list(requirements(figures))
    for r in laws:
        print(f"{'met    ' if r['met'] else 'NOT MET'}  {r['text']}: {r['figure']:.2f}")
    if not TORCH.exists():
        print("BoTorch was not compared: there is no .venv-torch")
    common = {
        "command": "python -m benchmarks.gp",
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "cpus": os.cpu_count(),
    }
    common |= {k: v for k, v in versions.items() if k != "what"}
    RESULTS.parent.mkdir(exist_ok=True)
    with RESULTS.open("a") as file:
        file.writelines(json.dumps(r | common) + "\n" for r in [*records, *laws] if r is not versions)


if __name__ == "__main__":
    main()
