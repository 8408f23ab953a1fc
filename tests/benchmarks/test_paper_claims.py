import pytest

from benchmarks.ledger import Cell
from benchmarks.paper import sensitivity
from benchmarks.paper.claims import (
    AGAINST,
    AGREES,
    DIFFERS,
    FEW,
    HOLDS,
    MISSING,
    OPEN,
    PARTLY,
    SMALL,
    Claim,
    Comparison,
    always_solved,
    beats,
    gain_grows,
    judged,
    not_worse,
    slower,
    t_test,
)
from benchmarks.paper.data import Data
from benchmarks.paper.drawing import curves
from benchmarks.paper.experiment import Experiment, Line, Panel

SEEDS = 8


@pytest.fixture
def data(record):
    """Results of methods that end at the given values; `better` marks small losses."""

    def make(ends, scale="half", problems=("pest-25",), goal=None, **changes):
        methods = tuple(dict.fromkeys(method for method, _ in ends))
        panels = tuple(Panel(p, p, tuple(map(Line, methods)), 200, goal=goal) for p in problems)
        experiment = Experiment("made-up", "made up", "Fig. 0", (), panels, curves, "")
        pool = {}
        for (method, problem), values in ends.items():
            for seed, value in enumerate(values):
                made = record(method=method, problem=problem, seed=seed, budget=100, best=[[1, 9.0], [60, value]], **changes)
                pool[Cell.of(made)] = made
        return Data(experiment, scale, pool)

    return make


def outcomes(rule, data):
    return [comparison.outcome for comparison in rule(data)]


def apart(low):
    return [low + 0.01 * k for k in range(SEEDS)]


def test_a_clear_lead_holds_and_its_mirror_is_the_opposite(data):
    made = data({("paper", "pest-25"): apart(1), ("smac", "pest-25"): apart(2)})
    assert outcomes(beats("paper", ("smac",)), made) == [HOLDS]
    assert outcomes(beats("smac", ("paper",)), made) == [AGAINST]
    assert outcomes(not_worse("paper", ("smac",)), made) == [HOLDS]
    assert outcomes(not_worse("smac", ("paper",)), made) == [AGAINST]


def test_equal_results_show_no_difference_and_are_not_worse(data):
    made = data({("paper", "pest-25"): apart(1), ("combo", "pest-25"): apart(1)})
    assert outcomes(beats("paper", ("combo",)), made) == [OPEN]
    assert outcomes(not_worse("paper", ("combo",)), made) == [HOLDS]
    assert outcomes(t_test("paper", "combo", "pest-25"), made) == [OPEN]


def test_ties_leave_too_few_seeds_if_all_others_point_one_way(data):
    ahead, mixed = [0.0] * 5 + [1.0] * 3, [0.0] * 4 + [1.0] * 3 + [2.0]
    made = data({("paper", "pest-25"): ahead, ("random", "pest-25"): [1.0] * SEEDS, ("smac", "pest-25"): mixed})
    assert outcomes(beats("paper", ("random",)), made) == [FEW]
    assert outcomes(beats("smac", ("random",)), made) == [OPEN]


def test_a_claim_is_too_small_to_judge_if_most_of_its_comparisons_do_not_count():
    made = [Comparison("a", HOLDS), Comparison("b", FEW), Comparison("c", MISSING)]
    assert judged(made) == SMALL
    assert judged(made[:2]) == AGREES


def test_few_seeds_and_missing_runs_do_not_count(data):
    made = data({("paper", "pest-25"): apart(1), ("smac", "pest-25"): [2.0] * 5, ("combo", "pest-25"): []})
    assert outcomes(beats("paper", ("smac", "combo")), made) == [FEW, MISSING]
    assert outcomes(t_test("paper", "combo", "pest-25"), made) == [MISSING]


def test_before_a_lead_appears_it_does_not_hold(data):
    made = data({("paper", "pest-25"): apart(1), ("smac", "pest-25"): apart(2)})
    assert outcomes(beats("paper", ("smac",), part=0.5), made) == [OPEN]


def test_a_lead_that_vanishes_under_holms_correction_is_not_counted(data):
    thin = [1.0 + (0.1 if k < 7 else -0.01) for k in range(SEEDS)]
    ends = {("paper", "pest-25"): [1.0] * SEEDS} | {(name, "pest-25"): thin for name in "abcdefgh"}
    made = data(ends)
    assert outcomes(beats("paper", ("a",)), made) == [HOLDS]
    assert set(outcomes(beats("paper", tuple("abcd")), made)) == {OPEN}
    assert set(outcomes(beats("paper", tuple("abcdefgh")), made)) == {FEW}


def test_the_verdict_follows_from_the_outcomes():
    def word(*found):
        return judged([Comparison("", outcome) for outcome in found])

    assert word(HOLDS, HOLDS, MISSING) == AGREES
    assert word(HOLDS, OPEN) == PARTLY
    assert word(HOLDS, AGAINST) == word(OPEN, OPEN) == DIFFERS
    assert word(FEW, MISSING) == word() == SMALL


def test_quick_runs_are_never_judged_unless_the_claim_is_exact(data):
    made = data({("paper", "pest-25"): apart(1)}, scale="quick")
    rule = lambda _: iter([Comparison("", HOLDS)])  # noqa: E731
    assert Claim("", rule).verdict(made).word == SMALL
    assert Claim("", rule, exact=True).verdict(made).word == AGREES


def test_the_t_test_is_that_of_the_paper(data):
    made = data({("paper", "pest-25"): apart(1), ("CatKer", "pest-25"): apart(2)})
    (comparison,) = t_test("paper", "CatKer", "pest-25")(made)
    assert comparison.outcome == HOLDS
    assert "1.035 ± 0.0087 against 2.035 ± 0.0087" in comparison.numbers


def test_attacks_are_compared_by_success(data):
    made = data({("paper", "pest-25"): [-1.0] * SEEDS, ("smac", "pest-25"): [3.0] * SEEDS}, goal=-1.0)
    (panel,) = made.experiment.panels
    assert set(made.losses(panel, panel.lines[0]).values()) == {0.0}
    assert set(made.losses(panel, panel.lines[1]).values()) == {1.0}
    assert outcomes(beats("paper", ("smac",)), made) == [HOLDS]


def test_a_gain_is_measured_against_the_spread(data):
    ends = {("paper", "pest-25"): apart(1), ("CatKer", "pest-25"): apart(1.01)}
    ends |= {("paper", "pest-80"): apart(1), ("CatKer", "pest-80"): apart(3)}
    made = data(ends, problems=("pest-25", "pest-80"))
    assert outcomes(gain_grows("paper", "CatKer", ("pest-25",), ("pest-80",)), made) == [HOLDS]
    assert outcomes(gain_grows("paper", "CatKer", ("pest-80",), ("pest-25",)), made) == [AGAINST]
    assert outcomes(gain_grows("paper", "CatKer", ("pest-25",), ("pest-25",)), made) == [OPEN]


def test_every_run_has_to_find_the_optimum(data):
    made = data({("paper", "pest-25"): [1.0] * SEEDS, ("smac", "pest-25"): [1.0] * (SEEDS - 1) + [1.5]})
    assert outcomes(always_solved("paper"), made) == [HOLDS]
    assert outcomes(always_solved("smac"), made) == [AGAINST]


def test_times_are_compared_as_ratios(data, record):
    made = data({("paper", "pest-25"): [1.0] * SEEDS})
    slow = record(method="combo", budget=100, evaluations=100, seconds={"mean": 0.25, "total": 20.0})
    made = Data(made.experiment, "half", dict(made.pool) | {Cell.of(slow): slow})
    panel = Panel("pest-25", "Pest", (Line("paper"), Line("combo")), 200)
    made = Data(Experiment("t", "t", "t", (), (panel,), curves, ""), "half", made.pool)
    (comparison,) = slower("combo", "paper", 2.0)(made)
    assert (comparison.outcome, comparison.numbers) == (HOLDS, "2.5×")
    assert outcomes(slower("combo", "paper", 3.0), made) == [AGAINST]
    assert outcomes(slower("combo", "paper", 0.0, most=2.0), made) == [AGAINST]


def test_sensitivity_counts_the_runs_inside_two_deviations(data):
    changed = {(line.method, "pest-25"): [1.05] for line in sensitivity.variants("pest-25")}
    base = {("paper", "pest-25"): apart(1)}
    assert outcomes(sensitivity.insensitive, data(base | changed)) == [HOLDS]
    assert outcomes(sensitivity.insensitive, data(base | {key: [2.0] for key in changed})) == [AGAINST]
    with_rival = base | changed | {("combo", "pest-25"): apart(1.5)}
    assert outcomes(sensitivity.ahead, data(with_rival)) == [HOLDS]
