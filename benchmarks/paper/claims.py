"""The rules by which a claim of the paper is judged. Every verdict is computed from the results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from benchmarks.paper.data import Data
from benchmarks.paper.experiment import Panel
from benchmarks.statistics import LEVEL, holm, mean_and_error, paired

AGREES, PARTLY, DIFFERS, SMALL = "agrees", "agrees in part", "does not agree", "too small to judge"
HOLDS, OPEN, AGAINST, FEW, MISSING = "holds", "no difference shown", "the opposite holds", "too few seeds", "not run"
LEAST_SEEDS = 6
"""With fewer pairs a signed-rank test cannot reach p < 0.05, even without a correction."""

RULES = f"""\
A comparison of two methods uses the best values at the end of the budget on the seeds that both ran. "A is better than
B" holds if A has the better mean and a two-sided Wilcoxon signed-rank test has p < {LEVEL}, after Holm's correction
over the comparisons of a claim. A claim about two winners, or with an exception, has one correction for each part. If B
is better by the same test, the opposite holds; otherwise no difference is shown. "A is not worse than B" holds unless B
is better with p < {LEVEL}, uncorrected. A claim **agrees** with our runs if all of its comparisons hold, **does not
agree** if none holds or the opposite of one holds, and **agrees in part** otherwise. Comparisons with fewer than
{LEAST_SEEDS} common seeds, or with too few to reach p < {LEVEL} after the correction although all seeds that differ
point one way, do not count. In the attack, the value of a run is 0 if it succeeds and 1 if it fails. A claim is **too
small to judge** at the scale `quick`, and if fewer than half of its comparisons count. The last two rules, on
comparisons that do not count, were added after a look at earlier verdicts, when three claims with little data would
otherwise not have agreed (the first claim of Fig. 4, the attack against random search, and the gains of Fig. 6). These
claims have more runs now. The gains of Fig. 6 are compared by their size alone, without a test. The ratios of times in
App. B.4 come from runs with different loads on the machine, so their verdicts are rough."""


@dataclass(frozen=True)
class Comparison:
    what: str
    outcome: str
    numbers: str = ""


@dataclass(frozen=True)
class Verdict:
    word: str
    comparisons: tuple[Comparison, ...]

    def by_outcome(self) -> dict[str, list[Comparison]]:
        groups = defaultdict(list)
        for comparison in self.comparisons:
            groups[comparison.outcome].append(comparison)
        return {outcome: groups[outcome] for outcome in (HOLDS, OPEN, AGAINST, FEW, MISSING) if outcome in groups}


Rule = Callable[[Data], Iterator[Comparison]]


@dataclass(frozen=True)
class Claim:
    """A claim of the paper in our words, and its rule. exact: judged at every scale, since nothing is averaged."""

    text: str
    rule: Rule
    exact: bool = False

    def verdict(self, data: Data) -> Verdict:
        comparisons = tuple(self.rule(data))
        return Verdict(SMALL if data.scale == "quick" and not self.exact else judged(comparisons), comparisons)


def judged(comparisons: Sequence[Comparison]) -> str:
    outcomes = [c.outcome for c in comparisons if c.outcome not in (FEW, MISSING)]
    if not outcomes or 2 * len(outcomes) < len(comparisons):
        return SMALL
    if all(outcome == HOLDS for outcome in outcomes):
        return AGREES
    return DIFFERS if AGAINST in outcomes or HOLDS not in outcomes else PARTLY


def both(*rules: Rule) -> Rule:
    """Return the rule that makes the comparisons of all given rules."""
    return lambda data: (comparison for rule in rules for comparison in rule(data))


def beats(winner: str, losers: Sequence[str], problems: Sequence[str] = (), part: float = 1.0) -> Rule:
    """`winner` is better than each of `losers` after a part of the budget, on these problems or on all."""

    def rule(data: Data) -> Iterator[Comparison]:
        pairs = [(panel, loser) for panel in panels_of(data, problems) for loser in losers if has(data, panel, winner, loser)]
        found = [compared(data, panel, winner, loser, part) for panel, loser in pairs]
        counted = [pairing for pairing in found if pairing and pairing.seeds >= LEAST_SEEDS]
        adjusted = iter(holm([pairing.p for pairing in counted]))
        for (panel, loser), pairing in zip(pairs, found, strict=True):
            what = f"{panel.title}: {winner} against {loser}"
            if pairing is None:
                yield Comparison(what, MISSING)
            elif pairing.seeds < LEAST_SEEDS:
                yield Comparison(what, FEW, numbers(pairing.means))
            else:
                p = next(adjusted)
                better = pairing.means[0] < pairing.means[1]
                differing = one_way(data, panel, winner, loser, part)
                unable = 2.0 ** (1 - (differing or pairing.seeds)) * len(counted) >= LEVEL
                outcome = (FEW if unable else OPEN) if p >= LEVEL else HOLDS if better else AGAINST
                yield Comparison(what, outcome, f"{numbers(pairing.means)}, p = {p:.2g}")

    return rule


def not_worse(one: str, others: Sequence[str], problems: Sequence[str] = ()) -> Rule:
    """`one` is not shown to be worse than each of `others`."""

    def rule(data: Data) -> Iterator[Comparison]:
        for panel in panels_of(data, problems):
            for other in others:
                if not has(data, panel, one, other):
                    continue
                pairing = compared(data, panel, one, other)
                what = f"{panel.title}: {one} not worse than {other}"
                if pairing is None:
                    yield Comparison(what, MISSING)
                    continue
                worse = pairing.p < LEVEL and pairing.means[0] > pairing.means[1]
                outcome = FEW if pairing.seeds < LEAST_SEEDS else AGAINST if worse else HOLDS
                yield Comparison(what, outcome, f"{numbers(pairing.means)}, p = {pairing.p:.2g}")

    return rule


def t_test(one: str, other: str, problem: str) -> Rule:
    """`one` is better than `other` by a two-sample Student's t-test at the last evaluation, as in the paper."""

    def rule(data: Data) -> Iterator[Comparison]:
        for panel in panels_of(data, [problem]):
            a, b = (list(losses_of(data, panel, name).values()) for name in (one, other))
            what = f"{panel.title}: {one} against {other}, two-sample t-test"
            if min(len(a), len(b)) < 2:
                yield Comparison(what, MISSING)
                continue
            p = float(stats.ttest_ind(a, b).pvalue) if np.ptp([*a, *b]) > 0 else 1.0
            shown = p < LEVEL
            better = HOLDS if np.mean(a) < np.mean(b) else AGAINST
            outcome = FEW if min(len(a), len(b)) < LEAST_SEEDS else better if shown else OPEN
            yield Comparison(what, outcome, f"{means_with_errors(a, b)}, p = {p:.2g}")

    return rule


def gain_grows(one: str, other: str, small: Sequence[str], large: Sequence[str]) -> Rule:
    """The gain of `one` over `other`, in standard deviations of `other`, is larger on each large problem than on each small."""

    def rule(data: Data) -> Iterator[Comparison]:
        gains = {}
        for problem in (*small, *large):
            for panel in panels_of(data, [problem]):
                a, b = (list(losses_of(data, panel, name).values()) for name in (one, other))
                if min(len(a), len(b)) >= LEAST_SEEDS and np.std(b, ddof=1) > 0:
                    gains[problem] = float((np.mean(b) - np.mean(a)) / np.std(b, ddof=1))
        for big in large:
            for little in small:
                what = f"the gain on {big} is above that on {little}"
                if big not in gains or little not in gains:
                    yield Comparison(what, MISSING)
                else:
                    shown = f"{gains[big]:.2g} against {gains[little]:.2g} standard deviations"
                    outcome = OPEN if gains[big] == gains[little] else HOLDS if gains[big] > gains[little] else AGAINST
                    yield Comparison(what, outcome, shown)

    return rule


def always_solved(name: str) -> Rule:
    """Every run of a line finds the optimum."""

    def rule(data: Data) -> Iterator[Comparison]:
        for panel in data.experiment.panels:
            line = data.line(panel, name)
            series = data.series(panel, line) if line else None
            if series is None:
                yield Comparison(f"{panel.title}: {name}", MISSING)
                continue
            solved, runs = series.solved(), len(series.runs)
            outcome = FEW if runs < LEAST_SEEDS else HOLDS if solved == runs else AGAINST
            yield Comparison(f"{panel.title}: {name} finds the optimum", outcome, f"{solved} of {runs} runs")

    return rule


def slower(slow: str, fast: str, factor: float, most: float = float("inf")) -> Rule:
    """`slow` takes at least `factor` times the seconds per suggestion of `fast`, and at most `most` times."""

    def rule(data: Data) -> Iterator[Comparison]:
        for panel in data.experiment.panels:
            if not has(data, panel, slow, fast):
                continue
            what = f"{panel.title}: time of {slow} relative to {fast}"
            times = [data.seconds(panel, data.line(panel, name)) for name in (slow, fast)]
            if not all(len(t) for t in times):
                yield Comparison(what, MISSING)
                continue
            ratio = float(times[0].mean() / times[1].mean())
            yield Comparison(what, HOLDS if factor <= ratio <= most else AGAINST, f"{ratio:.3g}×")

    return rule


def panels_of(data: Data, problems: Sequence[str]) -> list[Panel]:
    return [panel for panel in data.experiment.panels if not problems or panel.problem in problems]


def has(data: Data, panel: Panel, *names: str) -> bool:
    return all(data.line(panel, name) is not None for name in names)


def losses_of(data: Data, panel: Panel, name: str, part: float = 1.0) -> dict[int, float]:
    line = data.line(panel, name)
    return data.losses(panel, line, part) if line else {}


def compared(data: Data, panel: Panel, one: str, other: str, part: float = 1.0):
    return paired(losses_of(data, panel, one, part), losses_of(data, panel, other, part))


def one_way(data: Data, panel: Panel, one: str, other: str, part: float) -> int:
    """Return the number of seeds on which two methods differ, if the same one is better on all of them; otherwise 0."""
    a, b = losses_of(data, panel, one, part), losses_of(data, panel, other, part)
    signs = [np.sign(a[seed] - b[seed]) for seed in a.keys() & b.keys() if a[seed] != b[seed]]
    return len(signs) if len(set(signs)) == 1 else 0


def numbers(means: tuple[float, float]) -> str:
    return f"{means[0]:.4g} against {means[1]:.4g}"


def means_with_errors(*samples: Sequence[float]) -> str:
    return " against ".join("{:.4g} ± {:.2g}".format(*mean_and_error(sample)) for sample in samples)
