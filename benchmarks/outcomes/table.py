"""The results as sections of the page: mean scores ± standard errors, who is ahead, and processor time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean

import numpy as np
from scipy import stats

from benchmarks.ledger import Record
from benchmarks.outcomes import seconds
from benchmarks.outcomes.methods import METHODS
from benchmarks.outcomes.problems import LIMITED, PROBLEMS, SEVERAL
from benchmarks.page import Block, Heading, Paragraph, Table
from benchmarks.statistics import LEVEL, holm, mean_and_error

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
WORST = 1e300
"""The loss of a run without a feasible trial in comparisons."""
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
            yield Paragraph("Processor seconds per run, mean over the problems. Not all runs were made on the same machine:")
            yield run_seconds(own)
            if missing := [title for method, title in METHODS.items() if method not in methods_of(own)]:
                yield Paragraph(f"The command can also run {', '.join(missing)}, for which there are no results yet.")
    if timed := [record for record in records if record["method"] == seconds.METHOD]:
        yield Heading("Seconds per suggestion with several objectives")
        yield Paragraph("Each row is one command that makes the trials of all methods in turn in one process.")
        yield seconds.table(timed)
    if failed := [record for record in records if record["status"] == "failed"]:
        runs = Counter(f"{METHODS.get(record['method'], record['method'])} on {record['problem']}" for record in failed)
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
    error = 0.0 if error < 1e-9 * abs(mean) else error
    text = f"{mean:.5g}" + ("" if math.isnan(error) else f" ± {error:.2g}")
    return (f"**{text}**" if bold else text) + none


def verdicts(records: Sequence[Record], checkpoints: Sequence[str]) -> Iterator[Block]:
    """Yield on how many problems the default is ahead of each rival, level or behind, and where a rival's mean is better."""
    methods = [method for method in methods_of(records) if method != OURS]
    counts: dict[str, list[str]] = {method: [] for method in methods}
    better = []
    for at in checkpoints:
        pairs = {(problem, method): (ours, theirs) for problem, method, ours, theirs in compared(records, methods, at)}
        tests = [float(stats.mannwhitneyu(*pair).pvalue) for pair in pairs.values()]
        adjusted = dict(zip(pairs, holm(tests), strict=True))
        leads = {key: np.median(theirs) - np.median(ours) for key, (ours, theirs) in pairs.items()}
        for method in methods:
            own = [key for key in pairs if key[1] == method]
            ahead, behind = (sum(adjusted[k] < LEVEL and sign * leads[k] > 0 for k in own) for sign in (1, -1))
            counts[method].append(f"{ahead} / {len(own) - ahead - behind} / {behind}")
        for (problem, method), (ours, theirs) in pairs.items():
            if fmean(theirs) < fmean(ours):
                values = f"{abs(fmean(theirs)):.6g} of {len(theirs)} against {abs(fmean(ours)):.6g} of {len(ours)}"
                better.append(f"{METHODS[method]} on {problem} at {at} ({values})")
    yield Paragraph(
        "Problems on which the default is ahead / not shown to differ / behind, by Mann-Whitney tests with Holm's correction "
        "over all of a column:"
    )
    yield Table(["against", *(f"at {at}" for at in checkpoints)], [[METHODS[m], *cells] for m, cells in counts.items()])
    yield Paragraph(f"Better means than the default's, with the number of seeds: {'; '.join(better) or 'none'}.")


def compared(records: Sequence[Record], methods: Sequence[str], at: str) -> Iterator[tuple[str, str, list[float], list[float]]]:
    """Yield problem, rival, and the losses of the default and of the rival. Runs without a feasible trial are the worst."""
    for problem in PROBLEMS:
        ours = [min(loss, WORST) for loss in losses(records, problem, OURS, at).values()]
        for method in methods:
            theirs = [min(loss, WORST) for loss in losses(records, problem, method, at).values()]
            if ours and theirs:
                yield problem, method, ours, theirs


def run_seconds(records: Sequence[Record]) -> Table:
    methods = methods_of(records)
    each = [[record["processor_seconds"] for record in records if record["method"] == method] for method in methods]
    return Table([METHODS[method] for method in methods], [[f"{fmean(values):.3g}" for values in each]])
