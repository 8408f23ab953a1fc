"""Sections of the report on tables, planted functions and plates, which do not start from 20 shared points."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks import figures, planted, tables
from benchmarks.checkpoints import Problems, common_seeds, ranks_over
from benchmarks.ledger import Record
from benchmarks.page import Block, Figure, Heading, Paragraph, Table
from benchmarks.series import OURS, Series, series_of, title
from benchmarks.statistics import TIE, mean_and_error

RIVAL = "optuna-gp"
"""The method that speed is compared with."""
MANY = 16
"""Ranks are taken among the methods with so many seeds, and again among all methods on the seeds that all ran."""


@dataclass(frozen=True)
class Section:
    """A suite's place on the page. figure: its name, if there is one. share: values are shown as a share of the optimum."""

    figure: str
    heading: str
    text: str
    commands: tuple[str, ...]
    checkpoints: tuple[int, ...]
    share: bool = False


TABLES = Section(
    "bench-tables",
    "Tables of real measurements",
    "Each problem is a table in which every configuration was measured: the yield of two reactions in percent (larger is "
    "better), the seconds that x264 takes for a video and the response time of Berkeley DB (smaller is better). Every "
    "method chooses its own first points; SMAC3, HEBO and BoTorch, which need some, are given 10 random ones. Two settings of "
    "the default (`rate_level` and the scale of the targets) were chosen on these tables, partly with these seeds.",
    ("run --suite tables --tables FOLDER --methods default,paper,optuna-gp,optuna-tpe,random --seeds 32 --budget 100",),
    (25, 50, 100),
)
HELD_OUT = Section(
    "",
    "Tables that no setting was chosen on",
    "Three outcomes of 768 lipid nanoparticles: drug loading and encapsulation efficiency (larger is better), and particle "
    "diameter (smaller is better). Some variants of the default were also tried on them, and none was adopted. Every method "
    "chooses its own first points.",
    (
        "run --problems table:lipid-particles:drug_loading,table:lipid-particles:encap_efficiency,"
        "table:lipid-particles:particle_diameter --tables FOLDER --start own "
        "--methods default,paper,optuna-gp,optuna-tpe,random --seeds 16 --budget 100",
    ),
    (25, 50, 100),
)
PLANTED = Section(
    "bench-planted",
    "Planted functions",
    "`sparse-120-2-12#100` has 120 variables with 2 choices each, of which 12 matter, alone and in pairs. `additive` has no "
    "interactions, `pairwise` little else, and `rugged` has interactions of four variables. `+4` adds four continuous "
    "variables, `~0.2` noise; `#100` is the instance. Smaller is better. The default was tuned on other instances, "
    "but the number of its first sparse trial was chosen on these. Every method chooses its own first points.",
    ("run --problems 'planted:sparse-120-2-12#100,...' --methods default,optuna-tpe,random --start own --budget 150",),
    (50, 100, 150),
)
PLATES = Section(
    "",
    "A protein's variants in plates of 96",
    "GB1 has four sites with 20 amino acids each; 149,361 of the 160,000 variants were measured, and most are dead. The first "
    "96 points are random; then come single trials, or further plates. Shown is the best fitness found as a share of the best "
    "in the table. `--start 96` gives every method the same random points; `--methods default:n_initial=96` chooses its own.",
    (
        "run --problems table:gb1 --tables FOLDER --start 96 --methods default --seeds 10 --budget 192",
        "run --problems table:gb1 --tables FOLDER --start 96 --batch 96 --methods default --seeds 10 --budget 480",
    ),
    (96, 192, 288, 384, 480),
    share=True,
)
SECTIONS = (TABLES, HELD_OUT, PLANTED, PLATES)


def section_of(record: Record) -> Section | None:
    """Return where a result is shown; None for the problems on which all methods start from 20 shared points."""
    problem, start = record["problem"], record.get("start", "shared")
    if start == "shared" or not problem.startswith((tables.PREFIX, planted.PREFIX)):
        return None
    if problem.startswith(planted.PREFIX):
        return PLANTED
    name = tables.title(problem)
    return PLATES if name == "gb1" else HELD_OUT if name.startswith("lipid") else TABLES


def sections(records: Sequence[Record]) -> Iterator[Block]:
    for section in SECTIONS:
        if problems := series_of(record for record in records if section_of(record) is section):
            yield from shown(section, problems)


def shown(section: Section, problems: Problems) -> Iterator[Block]:
    yield Heading(section.heading)
    yield Paragraph(section.text)
    yield Paragraph(f"Run with {' and '.join(f'`python -m benchmarks {command}`' for command in section.commands)}.")
    if section.figure:
        yield Figure(section.figure, f"{section.heading}: best value against evaluations", figures.overview(problems))
    yield values(section, problems)
    if not section.share:
        yield from mean_ranks(section, problems)
        yield from against(section, problems)


def values(section: Section, problems: Problems) -> Table:
    """Return the means ± standard errors, the best in bold: one row per problem and checkpoint, one column per method."""
    names = methods_of(problems)
    rows = []
    for problem, found in problems.items():
        for n in section.checkpoints:
            means = {name: mean_and_error(list(s.at(n).values())) for name, s in found.items() if s.at(n)}
            best = min((mean for mean, _ in means.values()), default=math.nan)
            cells = [value_cell(found[name], means[name], best, section) if name in means else "–" for name in names]
            rows += [[problem, str(n), *cells]] if means else []
    counts = [sorted({len(found[name].runs) for found in problems.values() if name in found}) for name in names]
    heads = [
        f"{title(name)} ({'–'.join(map(str, dict.fromkeys((c[0], c[-1]))))} seeds)"
        for name, c in zip(names, counts, strict=True)
    ]
    return Table(["problem", "at", *heads], rows)


def value_cell(series: Series, mean_error: tuple[float, float], best: float, section: Section) -> str:
    mean, error = mean_error
    scale = 1 / series.first["optimum"] if section.share else 1.0
    spread = "" if math.isnan(error) else f" ± {error * scale:.2g}"
    text = f"{series.sign * mean * scale:.5g}{spread}"
    return f"**{text}**" if mean <= best + TIE * max(1.0, abs(best)) else text


def mean_ranks(section: Section, problems: Problems) -> Iterator[Block]:
    """Yield mean ranks over problems and seeds: among the methods with many seeds, and among all on the seeds that all ran."""
    names = [name for name in methods_of(problems) if all(name in found for found in problems.values())]
    columns: dict[str, dict[str, float]] = {}
    for n in section.checkpoints:
        seeds = {name: len(common_seeds(problems, [name], n)) for name in names}
        fields = [[name for name in names if seeds[name] >= MANY], [name for name in names if seeds[name] > 0]]
        for field in (field for i, field in enumerate(fields) if len(field) > 1 and field not in fields[:i]):
            common = common_seeds(problems, field, n)
            if common:
                columns[f"at {n} ({len(common)} seeds)"] = ranks_over(problems, field, n, common)
    if columns:
        yield Paragraph("Mean rank over problems and seeds (1 is best; equal values share a rank):")
        rows = [[title(name), *(f"{c[name]:.2f}" if name in c else "–" for c in columns.values())] for name in names]
        yield Table(["method", *columns], rows)


def against(section: Section, problems: Problems) -> Iterator[Block]:
    """Yield how often our mean is ahead of, level with and behind each other method's, and every case of a worse mean."""
    others = [name for name in methods_of(problems) if name != OURS]
    tallies = {(name, n): [0, 0, 0] for name in others for n in section.checkpoints}
    behind, lower = [], []
    for problem, found in problems.items():
        for name, n in tallies:
            ours, theirs = (list(found[m].at(n).values()) if m in found else [] for m in (OURS, name))
            if min(len(ours), len(theirs)) < 2:
                continue
            verdict = compared(ours, theirs)
            tallies[name, n][verdict] += 1
            means = [found[OURS].sign * float(np.mean(losses)) for losses in (theirs, ours)]
            case = f"{title(name)} on {problem} at {n} ({means[0]:.5g} against {means[1]:.5g})"
            if verdict == 2:
                behind.append(case)
            elif np.mean(theirs) < np.mean(ours) - TIE * max(1.0, abs(np.mean(ours))):
                lower.append(case)
    if any(map(sum, tallies.values())):
        yield Paragraph(
            f"On how many problems the mean of {title(OURS)} is ahead / level / behind, where level means within one standard "
            "error of the difference of the two means:"
        )
        cell = {key: " / ".join(map(str, tally)) if any(tally) else "–" for key, tally in tallies.items()}
        rows = [[title(name), *(cell[name, n] for n in section.checkpoints)] for name in others]
        yield Table([f"{title(OURS)} against", *(f"at {n}" for n in section.checkpoints)], rows)
        yield Paragraph(
            f"**Behind: {'; '.join(behind) or 'nowhere'}.** Level, but with the worse mean: {'; '.join(lower) or 'nowhere'}."
        )


def compared(ours: Sequence[float], theirs: Sequence[float]) -> int:
    """Return 0 if our mean loss is lower by more than one standard error of the difference, 2 if it is higher, else 1."""
    (mean, error), (other, others_error) = mean_and_error(ours), mean_and_error(theirs)
    slack = math.hypot(error, others_error) + TIE * max(1.0, abs(mean))
    return 0 if other - mean > slack else 2 if mean - other > slack else 1


def speed(records: Sequence[Record]) -> Iterator[Block]:
    """Yield our seconds per suggestion and the rival's, each pair from one command, that is one machine at one time."""
    commands = dict.fromkeys(record["command"] for record in records)
    rows, ratios = [], []
    for command in commands:
        for problem, found in series_of(record for record in records if record["command"] == command).items():
            pair = [found[name].seconds() if name in found else None for name in (OURS, RIVAL)]
            if pair[0] and pair[1]:
                ratios.append(pair[1] / pair[0])
                reached = min(found[OURS].reached, found[RIVAL].reached)
                rows.append([problem, str(reached), f"{pair[0]:.2g}", f"{pair[1]:.2g}", f"{ratios[-1]:.3g}"])
    if rows:
        yield Heading(f"Speed against the {title(RIVAL).removeprefix('Optuna ')}")
        yield Paragraph(
            "Seconds per suggestion on one core, each row from one command that ran both methods. "
            f"{sum(ratio >= 10 for ratio in ratios)} of {len(ratios)} ratios are 10 or more; the smallest is {min(ratios):.3g}."
        )
        yield Table(["problem", "evaluations", title(OURS), title(RIVAL), "ratio"], rows)


def methods_of(problems: Problems) -> list[str]:
    return list(dict.fromkeys(name for found in problems.values() for name in found))
