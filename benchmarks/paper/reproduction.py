"""The page `docs/reproduction.md`: for each figure the claims, what our runs show, the verdicts, seeds and command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.page import Block, Figure, Heading, Paragraph, Table, markdown
from benchmarks.paper.claims import HOLDS, RULES, SMALL, Comparison, Verdict
from benchmarks.paper.data import Data, newest
from benchmarks.paper.drawing import look_of, rendered
from benchmarks.paper.experiment import Experiment
from benchmarks.statistics import mean_and_error
from casmopolitan.formatting import counted

INTRODUCTION = """\
The figures and tables of Wan et al. (2021), from our own runs and with `DEFAULT` as an additional line. `paper` is the
preset `PAPER`, "CASMOPOLITAN" in the paper. The rivals are Hyperopt's TPE, SMAC3, and our own implementations of the others,
written from their papers. All methods of a seed start from the same 20 random points unless stated otherwise. Smaller
values are better. Curves and tables show the mean over seeds ± its standard error."""
HOW = """\
`python -m benchmarks paper NAME --scale quick|half|full --jobs N` runs one figure again (`all` for every one, `list`
for the names) and writes this page. The same command continues a run that was stopped. `full` has the paper's budgets
and seeds (20 unless stated otherwise), `half` half the budget and up to 10 seeds (90 attacks), `quick` about 40
evaluations and 2 seeds. `quick` shows that everything runs; its figures are marked as too small to judge. With `all`
and two jobs it took 11 minutes on two cores, with eight cells fewer. `python -m benchmarks paper page` writes the page
from the results alone. For each figure the page uses the largest scale that has results."""
MANY = 40
"""Maximum number of comparisons that a claim lists for one outcome."""


def write_page(experiments: Sequence[Experiment], results: Path, page: Path) -> list[Path]:
    """Write the page and the figures of all experiments with results; return the paths."""
    blocks = list(blocks_of(experiments, results))
    images = page.parent / "images"
    images.mkdir(parents=True, exist_ok=True)
    files = {images / f"{block.name}.png": block.png for block in blocks if isinstance(block, Figure)}
    files[page] = markdown(blocks, images.name).encode()
    for path, content in files.items():
        path.write_bytes(content)
    return list(files)


def blocks_of(experiments: Sequence[Experiment], results: Path) -> Iterator[Block]:
    found = [newest(results, experiment) for experiment in experiments]
    verdicts = [[claim.verdict(data) for claim in data.experiment.claims] for data in found]
    yield Heading("The paper's experiments again", 1)
    yield Paragraph(INTRODUCTION)
    yield Paragraph(HOW)
    yield Heading("Verdicts")
    yield Paragraph(RULES)
    yield summary(found, verdicts)
    for data, judged in zip(found, verdicts, strict=True):
        yield from section(data, judged)


def summary(found: Sequence[Data], verdicts: Sequence[Sequence[Verdict]]) -> Table:
    rows = []
    for data, judged in zip(found, verdicts, strict=True):
        for claim, verdict in zip(data.experiment.claims, judged, strict=True):
            word = f"**{verdict.word}**" if verdict.word != SMALL else SMALL
            rows.append([data.experiment.source, claim.text, scale_of(data), word])
    return Table(["figure", "claim of the paper", "our runs", "verdict"], rows)


def scale_of(data: Data) -> str:
    if data.experiment.exact:
        return "computed"
    unit = "runs" if any(panel.instances for panel in data.experiment.panels) else "seeds"
    return f"{data.scale}, {numbers_of_runs(data)} {unit}" if max(data.seeds) else "not run"


def numbers_of_runs(data: Data) -> str:
    fewest, most = data.seeds
    return str(most) if fewest == most else f"{fewest} to {most}"


def section(data: Data, verdicts: Sequence[Verdict]) -> Iterator[Block]:
    experiment = data.experiment
    yield Heading(f"{experiment.source}: {experiment.title}")
    run = max(data.seeds) > 0 or experiment.exact
    if run:
        yield Figure(f"paper-{experiment.name}", f"{experiment.source}: {experiment.title}", rendered(data))
    else:
        yield Paragraph("Not run yet.")
    for claim, verdict in zip(experiment.claims, verdicts, strict=True):
        yield Paragraph(f"**Claim.** {claim.text} **Verdict: {verdict.word}.** {evidence(verdict) if run else ''}".rstrip())
    if run:
        yield from experiment.table(data) if experiment.table else values(data)
    yield Paragraph(f"**Setting.** {experiment.setting}")
    if experiment.why and any(verdict.word not in (SMALL, "agrees") for verdict in verdicts):
        yield Paragraph(f"**Why.** {experiment.why}")
    if experiment.panels:
        yield Paragraph(provenance(data))


def evidence(verdict: Verdict) -> str:
    """Return the comparisons by outcome, with their numbers."""
    parts = []
    for outcome, comparisons in verdict.by_outcome().items():
        if verdict.word == SMALL and outcome != HOLDS and not comparisons[0].numbers:
            continue
        parts.append(f"{outcome[0].upper()}{outcome[1:]}: {'; '.join(map(shown, comparisons[:MANY]))}.")
    return " ".join(parts) if verdict.word != SMALL else ""


def shown(comparison: Comparison) -> str:
    return f"{comparison.what} ({comparison.numbers})" if comparison.numbers else comparison.what


def values(data: Data) -> Iterator[Block]:
    """Yield the table of final values: a row per method and a column per problem."""
    panels = data.experiment.panels
    lines = {line.name: line for panel in panels for line in panel.lines if line.shown}
    batched = any(line.batch > 1 for line in lines.values())
    rows = []
    for name, line in lines.items():
        cells = [final(data, panel, name) for panel in panels]
        if any(cells) and ":" not in line.name:
            title = f"{look_of(line)[0]}, b = {line.batch}" if batched else look_of(line)[0]
            rows.append([title, *(cell or "–" for cell in cells)])
    if rows:
        yield Table(["method", *(f"{panel.title}, at {panel.budget_at(data.scale)}" for panel in panels)], rows)


def final(data: Data, panel, name: str) -> str:
    """Return mean ± standard error of the final values, or the rate of success; empty without runs that reached the end."""
    line = next((line for line in panel.lines if line.name == name), None)
    losses = list(data.losses(panel, line).values()) if line else []
    if not losses:
        return ""
    if panel.goal is not None:
        return f"{1 - sum(losses) / len(losses):.0%} of {len(losses)}"
    mean, error = mean_and_error(losses)
    return f"{mean:.4g} ± {error:.2g} ({len(losses)})" if len(losses) > 1 else f"{mean:.4g} (1)"


def provenance(data: Data) -> str:
    """Return seeds, command and what was not run."""
    experiment = data.experiment
    capped = sum(record["status"] == "capped" for record in own_records(data))
    failed = sum(record["status"] == "failed" for record in own_records(data))
    text = f"Run it with `python -m benchmarks paper {experiment.name} --scale {data.scale}`."
    if max(data.seeds):
        runs = f"{numbers_of_runs(data)} runs per method and problem"
        text = f"Scale {data.scale}, {runs}, as the table says. {text}"
        text += f" Not run: {', '.join(not_run(data))}." if data.missing else ""
        text += f" Stopped at the time limit: {counted(capped, 'run')}." if capped else ""
        text += f" Failed: {counted(failed, 'run')}." if failed else ""
    return text


def not_run(data: Data) -> Iterator[str]:
    """Yield each method that has a line without results, with the problems if it has results on others."""
    missing = [(panel.title, line.method) for panel, line in data.missing]
    for method in data.experiment.methods:
        asked = [panel.title for panel in data.experiment.panels if any(line.method == method for line in panel.lines)]
        if absent := [title for title in asked if (title, method) in missing]:
            yield method if absent == asked else f"{method} on {' and '.join(absent)}"


def own_records(data: Data):
    cells = set(data.experiment.cells(data.scale))
    return [record for cell, record in data.pool.items() if cell in cells]
