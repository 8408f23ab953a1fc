"""The experiments of the paper's main text: Figures 3 to 6."""

from __future__ import annotations

from benchmarks.paper import attack, batches
from benchmarks.paper.claims import Claim, beats, both, gain_grows, not_worse, t_test
from benchmarks.paper.drawing import curves
from benchmarks.paper.experiment import Experiment, Line, Panel, Quick

OURS = (Line("default"), Line("paper"))
PEST, CONTAMINATION, MAXSAT, ACKLEY = "pest-25", "contamination-25", "maxsat-60", "ackley-53"


def lines(*methods: str) -> tuple[Line, ...]:
    return (*OURS, *(Line(method) for method in methods))


CATEGORICAL_RIVALS = ("random", "hyperopt", "smac", "bo", "turbo", "combo")
MIXED_RIVALS = ("random", "hyperopt", "smac", "bo", "turbo", "cocabo", "mvrsm")

CATEGORICAL = Experiment(
    name="fig-categorical",
    title="categorical problems",
    source="Fig. 3",
    claims=(
        Claim(
            "At the end of the budget CASMOPOLITAN is better than every rival, except that COMBO is on par with it on "
            "Contamination and MaxSAT.",
            both(
                beats("paper", ("hyperopt", "smac", "bo", "turbo", "bocs")),
                beats("paper", ("combo",), (PEST,)),
                not_worse("paper", ("combo",), (CONTAMINATION, MAXSAT)),
            ),
        ),
        Claim(
            "It converges fastest: it is already ahead after half of the budget.",
            beats("paper", ("hyperopt", "smac", "bo", "turbo", "bocs", "combo"), part=0.5),
        ),
    ),
    panels=(
        Panel(CONTAMINATION, "Contamination", lines(*CATEGORICAL_RIVALS, "bocs"), 150),
        Panel(PEST, "Pest control", lines(*CATEGORICAL_RIVALS, "released-code"), 150),
        Panel(MAXSAT, "MaxSAT-60", lines(*CATEGORICAL_RIVALS), 150),
    ),
    draw=curves,
    setting=(
        "Contamination has a budget of 150 evaluations in the paper (App. C.1). It gives none for Pest and MaxSAT; 150 is "
        "the released code's default. BOCS is run on Contamination only, as in the paper. MaxSAT-60 is a generated "
        "instance of the same model and size as the paper's file. The released code is run on Pest only, with its own "
        "settings; this needs the option `--released FOLDER`. SMAC has 5 seeds and the released code 6, because their runs "
        "take longest."
    ),
    why=(
        "The rival that comes close is BO with one-hot columns. It shares our local search over choices and has TuRBO's "
        "bounds of the lengthscales. TuRBO, which has one-hot columns too but searches the relaxed columns, is far behind it, "
        "so the search may matter more here than the kernel; TuRBO differs in other ways too, and no run separates them. On "
        "Pest and MaxSAT the optimum has nearly equal entries, so that methods that try equal entries early have an advantage "
        "there. Contamination has no such structure. The released code is worse than `PAPER` on each of the six seeds of Pest "
        "that both ran. It reads the paper differently in many places (the ledger lists them), and no run separates their "
        "effects."
    ),
)

MIXED = Experiment(
    name="fig-mixed",
    title="mixed problems",
    source="Fig. 4",
    claims=(
        Claim(
            "CASMOPOLITAN is best on every problem, and succeeds in more attacks.",
            beats("paper", ("hyperopt", "smac", "bo", "turbo", "cocabo", "mvrsm")),
        ),
        Claim(
            "With few variables (Func2C, XGBoost) CoCaBO is ahead of MVRSM and TuRBO.",
            beats("cocabo", ("mvrsm", "turbo"), ("func2c", "xgboost-digits")),
        ),
        Claim(
            "With many (Ackley-53, the attack) the order is reversed: MVRSM and TuRBO are ahead of CoCaBO.",
            both(*(beats(rival, ("cocabo",), (ACKLEY, attack.PROBLEM)) for rival in ("mvrsm", "turbo"))),
        ),
        Claim("In the attack it is better than random search.", beats("paper", ("random",), (attack.PROBLEM,))),
    ),
    panels=(
        Panel("func2c", "Func2C", lines(*MIXED_RIVALS), 200),
        Panel(
            "xgboost-digits", "XGBoost on digits", lines(*MIXED_RIVALS), 150, seeds=10, half_seeds=6, quick=Quick(16, 1, "8")
        ),
        Panel(ACKLEY, "Ackley-53", lines(*MIXED_RIVALS), 400),
        Panel(
            attack.PROBLEM,
            "Black-box attack",
            lines(*MIXED_RIVALS),
            250,
            goal=attack.SUCCESS,
            instances=attack.instances,
        ),
    ),
    draw=curves,
    setting=(
        "Func2C 200 and Ackley-53 400 evaluations as in the released code's README, the attack 250 queries (Sec. 4.2); 150 "
        "for XGBoost, where the paper gives none. XGBoost is tuned on scikit-learn's 1797 digits, as in the released code, "
        "not on MNIST. The attack is the paper's at reduced size: a small network for 8 × 8 digits, 13 variables instead "
        "of 85, and the released code's loss. Each pair of image and target counts as one run: 450 at full scale, 90 at "
        "half, 9 at quick. A run ends when the attack succeeds. SMAC's runs take longest, so it has 5 seeds on Func2C, "
        "3 on XGBoost, and none on Ackley-53 and the attack."
    ),
    why=(
        "In the released code the gradient steps on continuous variables had no effect until a fix after the paper appeared, "
        "so in its mixed results continuous variables probably hardly moved. In our runs they move. Ackley-53 has its optimum "
        "at zero in every variable, the middle of the continuous ranges, which helps methods that start there. BO with "
        "one-hot columns comes close again. It has our search over choices, and TuRBO, with the same columns and another "
        "search, is far behind it."
    ),
)

BATCHES = tuple(Line("paper", f"paper, b = {b}", b) for b in (1, 2, 4, 8))
DEFAULT_BATCHES = tuple(Line("default", f"DEFAULT, b = {b}", b) for b in (1, 8))


def sequential(*methods: str) -> tuple[Line, ...]:
    return tuple(Line(method, shown=False) for method in methods)


PARALLEL = Experiment(
    name="fig-parallel",
    title="batches",
    source="Fig. 5 and B.3",
    claims=(
        Claim(
            "By queries, larger batches do not make the result significantly worse.",
            not_worse("paper, b = 8", ("paper, b = 1",)),
        ),
        Claim(
            "Even with batches of 8 it is better than the rivals that ask one at a time.",
            beats("paper, b = 8", tuple(dict.fromkeys((*CATEGORICAL_RIVALS[1:], *MIXED_RIVALS[1:])))),
        ),
    ),
    panels=(
        Panel(PEST, "Pest control", (*BATCHES, *DEFAULT_BATCHES, *sequential(*CATEGORICAL_RIVALS[1:])), 150),
        Panel(ACKLEY, "Ackley-53", (*BATCHES, *DEFAULT_BATCHES, *sequential(*MIXED_RIVALS[1:])), 400),
    ),
    draw=batches.draw,
    setting="Budgets and the rivals' runs are those of Fig. 3 and 4; only the number of batches changes.",
)

WIDER = Line("paper:lengthscale_bounds=[0.01,2.5]", "CatKer+TR, lengthscales to 2.5")
ABLATED = (Line("paper", "CatKer+TR"), Line("CatKer"), Line("Overlap"), Line("TR"), Line("Naive"), WIDER, Line("default"))
ABLATION = Experiment(
    name="fig-ablation",
    title="ablations",
    source="Fig. 6",
    claims=(
        Claim(
            "The categorical kernel is better than one-hot columns, with and without trust regions.",
            both(beats("CatKer", ("Naive",)), beats("CatKer+TR", ("TR",))),
        ),
        Claim("The categorical kernel is better than the overlap kernel.", beats("CatKer", ("Overlap",))),
        Claim(
            "Trust regions gain most on the two problems with most variables.",
            gain_grows("CatKer+TR", "CatKer", (PEST, ACKLEY), ("pest-80", "rosenbrock-200")),
        ),
        Claim(
            "On Pest the difference between CatKer+TR and CatKer is small but significant (p = 0.043).",
            t_test("CatKer+TR", "CatKer", PEST),
        ),
    ),
    panels=(
        Panel(PEST, "Pest control", ABLATED, 150),
        Panel(ACKLEY, "Ackley-53", ABLATED, 400),
        Panel("pest-80", "DifficultPest", ABLATED, 200),
        Panel("rosenbrock-200", "Rosenbrock-200", ABLATED, 200),
    ),
    draw=curves,
    setting=(
        "The paper gives no budget for DifficultPest and Rosenbrock-200; 200 here. TR is a Hamming ball on one-hot columns "
        "with expected improvement. The gain of trust regions is measured in standard deviations of CatKer's final values."
    ),
    why=(
        "On Pest the first radius is 20 of 25 variables. A walk that starts at the best point rarely changes so many. So the "
        "region hardly limits it until it shrinks, after 40 failures in a row. At half scale, Pest and DifficultPest have the "
        "same values with and without trust regions after every evaluation of all 10 seeds, with either kernel. The one-hot "
        "kernel has TuRBO's bounds of the lengthscales; with those of the categorical kernel, at most 0.5, it was hardly "
        "better than random search on Pest, which may explain the large differences in the paper. On Rosenbrock-200 the "
        "bounds matter too. With lengthscales up to 2.5 (the released code's bound for discrete problems; its mixed kernel "
        "has none), CatKer+TR has a better mean than TR and Naive. On Ackley-53 it is worse than with bounds up to 0.5. The "
        "claim is judged with bounds up to 0.5, as in App. C.3."
    ),
)
