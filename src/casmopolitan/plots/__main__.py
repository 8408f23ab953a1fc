"""Draw the documentation's pictures again: `python -m casmopolitan.plots docs/images`."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from casmopolitan.plots import acquisition, animation, convergence, region, relevance, runs, trust_region


def draw(folder: Path) -> list[Path]:
    """Every picture into the folder; the files written."""
    folder.mkdir(parents=True, exist_ok=True)
    graph, tuned = runs.graph(), runs.tuned()
    freed = runs.tuned(40, replace(runs.LIVELY, kernel="heat", priors="freed", fit="lbfgs"))
    figures = {
        "region": region(graph),
        "convergence": convergence(tuned),
        "trust_region": trust_region(tuned),
        "acquisition": acquisition(runs.sliced()),
        "relevance": relevance(freed),
    }
    written = []
    for name, figure in figures.items():
        written.append(folder / f"{name}.png")
        figure.savefig(written[-1], metadata={"Software": None})
    return [*written, animation(graph, folder / "breathing.gif")]


def main(arguments: list[str]) -> int:
    """The command; its exit status."""
    if len(arguments) != 1:
        print("usage: python -m casmopolitan.plots FOLDER", file=sys.stderr)
        return 2
    for path in draw(Path(arguments[0])):
        print(f"{path}  {path.stat().st_size // 1024} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
