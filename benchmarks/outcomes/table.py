"""The results as sections of the page: mean scores ± standard errors, who is ahead, and processor time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean

from benchmarks.ledger import Record
from benchmarks.outcomes import seconds
from benchmarks.outcomes.methods import METHODS
from benchmarks.outcomes.problems import LIMITED, PROBLEMS, SEVERAL
from benchmarks.page import Block, Heading, Paragraph, Table
from benchmarks.statistics import holm, mean_and_error, paired

OURS = "default"
SECTIONS = (
    (
        "Limits on outcomes",
        LIMITED,
        ("50", "100", "150"),
        "The best feasible value. Smaller is better, except for the tables: the yield of arylation-cheap and the drug loading "
        "of lipid-small are maximised. If some runs found nothing feasible, their number is in brackets and the mean is over "
        "the others.",
    ),
    (
        "Several objectives",
        SEVERAL,
        ("50", "100"),
        "The share of the exact front's hypervolume; larger is better.",
    ),
)
MAXIMISED = {"arylation-cheap", "lipid-small", *SEVERAL}
"""The problems with scores that should be large."""


def page(records: Sequence[Record]) -> Iterator[Block]:
    """Yield a table of scores for each kind of problem and what the paired tests say."""
    done = [record for record in records if record["status"] == "done" and record["method"] in METHODS]
    for heading, problems, checkpoints, text in SECTIONS:
        own = [record for record in done if record["problem"] in problems]
        if own:
            yield Heading(heading)
            yield Paragraph(
                f"{text} Every method chooses its own first points. Means ± standard errors; the best mean is bold."
            )
            yield scores(own, checkpoints)
            yield from verdicts(own, checkpoints)
            yield Paragraph("Processor seconds per run, mean over the problems:")
            yield run_seconds(own)
    if timed := [record for record in records if record["method"] == seconds.METHOD]:
        yield Heading("Seconds per suggestion with several objectives")
        yield Paragraph("Each row is one command that makes the trials of all methods in turn in one process.")
        yield seconds.table(timed)
    if failed := [record for record in records if record["status"] == "failed"]:
        runs = Counter(f"{METHODS[record['method']]} on {record['problem']}" for record in failed)
        yield Paragraph(f"Runs that ended with an error: {', '.join(f'{run} ({count})' for run, count in runs.items())}.")


def methods_of(records: Sequence[Record]) -> list[str]:
    return [method for method in METHODS if any(record["method"] == method for record in records)]


def losses(records: Sequence[Record], problem: str, method: str, at: str) -> dict[int, float]:
    """Return the loss of each seed at a checkpoint; inf if nothing was feasible."""
    sign = -1.0 if problem in MAXIMISED else 1.0
    own = [r for r in records if (r["problem"], r["method"]) == (problem, method) and at in r["scores"]]
    return {r["seed"]: math.inf if r["scores"][at] is None else sign * r["scores"][at] for r in own}


def scores(records: Sequence[Record], checkpoints: Sequence[str]) -> Table:
    """Return one row per problem and checkpoint, one column per method."""
    methods = methods_of(records)
    rows = []
    for problem in (name for name in PROBLEMS if any(record["problem"] == name for record in records)):
        for at in checkpoints:
            found = {method: losses(records, problem, method, at) for method in methods}
            means = {m: fmean(values.values()) if values else math.inf for m, values in found.items()}
            best = min(means.values())
            most = max(map(len, found.values()))
            cells = [shown(found[m], problem, most, bold=means[m] <= best + 1e-9 * abs(best)) for m in methods]
            rows.append([f"{problem}, at {at}", *cells])
    return Table(["problem", *(METHODS[method] for method in methods)], rows)


def shown(found: dict[int, float], problem: str, most: int, bold: bool) -> str:
    """Return mean ± standard error, and the seeds if other methods have more."""
    known = [abs(loss) if problem in MAXIMISED else loss for loss in found.values() if math.isfinite(loss)]
    none = f" ({len(found) - len(known)} none)" if len(known) < len(found) else ""
    none += f" ({len(found)} of {most} seeds)" if len(found) < most else ""
    if not known:
        return none.strip() if found else "–"
    mean, error = mean_and_error(known)
    text = f"{mean:.5g}" + ("" if math.isnan(error) else f" ± {error:.2g}")
    return (f"**{text}**" if bold else text) + none


def verdicts(records: Sequence[Record], checkpoints: Sequence[str]) -> Iterator[Block]:
    """Yield on how many problems the default is ahead of each rival, level or behind, and where a rival's mean is better."""
    methods = [method for method in methods_of(records) if method != OURS]
    counts: dict[str, list[str]] = {method: [] for method in methods}
    better = []
    for at in checkpoints:
        pairs = {
            (problem, method): pairing
            for problem in PROBLEMS
            for method in methods
            if (pairing := compared(records, problem, method, at)) is not None
        }
        adjusted = dict(zip(pairs, holm([pairing.p for pairing in pairs.values()]), strict=True))
        for method in methods:
            own = [pairing.verdict(adjusted[key]) for key, pairing in pairs.items() if key[1] == method]
            ahead, behind = own.count("ahead"), own.count("behind")
            counts[method].append(f"{ahead} / {len(own) - ahead - behind} / {behind}")
        for (problem, method), pairing in pairs.items():
            ours, theirs = pairing.means
            if theirs < ours:
                values = f"{abs(theirs):.5g} against {abs(ours):.5g}, seeds: {pairing.seeds}"
                better.append(f"{METHODS[method]} on {problem} at {at} ({values})")
    yield Paragraph(
        "Problems on which the default is ahead / not shown to differ / behind, by paired Wilcoxon tests over the seeds that "
        "both ran, with Holm's correction; fewer than 6 seeds show nothing:"
    )
    yield Table(["against", *(f"at {at}" for at in checkpoints)], [[METHODS[m], *cells] for m, cells in counts.items()])
    yield Paragraph(f"Better means than the default's on the seeds that both ran: {'; '.join(better) or 'none'}.")


def compared(records: Sequence[Record], problem: str, method: str, at: str):
    large = 1e300  # a run without a feasible trial is worse than any other
    ours, theirs = ({s: min(v, large) for s, v in losses(records, problem, m, at).items()} for m in (OURS, method))
    return paired(ours, theirs)


def run_seconds(records: Sequence[Record]) -> Table:
    methods = methods_of(records)
    each = [[record["processor_seconds"] for record in records if record["method"] == method] for method in methods]
    return Table([METHODS[method] for method in methods], [[f"{fmean(values):.3g}" for values in each]])
