"""Problems by name. A name is

    stem [-number ...] [-option ...] [@seed]

such as `pest-25`, `contamination-25-seed621-lambda0`, `attack-digits-3-7`, `labs-30@1`. The stem names the family. Its numbers
(usually the size) come next, then its options in any order: a word, some with a number at the end. After an @ comes the seed
of a relocation. Numbers and options that are left out have defaults. A family is imported on first use.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from casmopolitan.errors import UnknownProblemError
from casmopolitan.formatting import did_you_mean
from casmopolitan.problems.problem import Problem
from casmopolitan.problems.relocation import relocated

PART = re.compile(r"-(?P<word>[a-z]*)(?P<number>[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?)?(?=-|$)")


@dataclass(frozen=True)
class Option:
    """An option of a name: the builder's keyword, and the type of its number (None for a flag, which sets True)."""

    keyword: str
    kind: Callable[[str], Any] | None = int


@dataclass(frozen=True)
class Family:
    """Problems that share a builder, `function` in `module` of this package."""

    stem: str
    module: str
    function: str
    cost: str
    """The order of magnitude of one evaluation on one core."""
    listed: tuple[str, ...]
    """The members that `names` lists, without the stem."""
    numbers: tuple[str, ...] = ()
    """The builder's keywords for the numbers in the name."""
    options: Mapping[str, Option] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    """Keywords that the stem itself decides."""

    @property
    def grammar(self) -> str:
        """The names of this family as a pattern."""
        numbers = "".join(f"[-{keyword}]" for keyword in self.numbers)
        return self.stem + numbers + "".join(f"[-{w}{'N' if o.kind else ''}]" for w, o in self.options.items())

    def build(self, **keywords: Any) -> Problem:
        """Return a member of the family."""
        builder = getattr(import_module(f"casmopolitan.problems.{self.module}"), self.function)
        problem: Problem = builder(**self.fixed, **keywords)
        return problem


SEED = Option("seed")
LAMBDA = Option("penalty", float)

FAMILIES = (
    Family(
        "contamination",
        "contamination",
        "contamination",
        "< 1 ms",
        ("-25", "-25-noisy", *(f"-25-seed{s}" for s in (621, 8919, 2362, 2303, 6555)), "-25-seed621-lambda0"),
        ("stages",),
        {"seed": SEED, "lambda": LAMBDA, "noisy": Option("noisy", None)},
    ),
    Family("pest", "pest", "pest", "< 1 ms", ("-25", "-25-seed8194", "-80"), ("stages",), {"seed": SEED}),
    Family(
        "maxsat",
        "satisfiability.maxsat",
        "maxsat_model_rb",
        "< 1 ms",
        ("-60", "-60-raw"),
        ("n",),
        {"seed": SEED, "raw": Option("raw", None)},
    ),
    Family("func2c", "synthetic", "func2c", "< 1 ms", ("",)),
    Family("func3c", "synthetic", "func3c", "< 1 ms", ("",)),
    Family("ackley", "synthetic", "ackley", "< 1 ms", ("-53",), ("n",)),
    Family("rosenbrock", "synthetic", "rosenbrock", "< 1 ms", ("-200",), ("n",)),
    Family(
        "branin",
        "synthetic",
        "branin",
        "< 1 ms",
        ("-51", "-51-categorical"),
        ("n",),
        {"categorical": Option("categorical", None)},
    ),
    Family("levy", "synthetic", "levy", "< 1 ms", ("-20",), ("n",)),
    Family("xgboost-digits", "tuning.boosting", "xgboost_digits", "1 to 5 s", ("",), (), {"seed": SEED}),
    Family("attack-digits", "adversarial.digits", "attack_digits", "< 1 ms", ("", "-1-7"), ("image", "target")),
    Family("svr", "tuning.svr", "svr", "< 10 ms", ("-53",), ("n",)),
    Family("labs", "labs", "labs", "< 1 ms", ("-30", "-50"), ("n",)),
    *(
        Family(f"sfu-{of}", "nominal", "nominal", "< 1 ms", ("-20",), ("n",), fixed={"function": of})
        for of in ("ackley", "griewank", "levy", "rastrigin", "rosenbrock", "schwefel", "sphere", "styblinski-tang")
    ),
    Family(
        "ising",
        "ising",
        "ising",
        "< 1 ms",
        ("-24", "-24-lambda0.0001"),
        ("n",),
        {"seed": SEED, "lambda": LAMBDA},
    ),
    Family(
        "bqp",
        "quadratic",
        "bqp",
        "< 1 ms",
        ("-10", "-20-alpha100"),
        ("n",),
        {"seed": SEED, "alpha": Option("alpha", float), "lambda": LAMBDA},
    ),
    Family("maxcut", "quadratic", "maxcut", "< 1 ms", ("-43",), ("n",), {"seed": SEED}),
    Family(
        "maxcut-johnson",
        "quadratic",
        "maxcut",
        "< 1 ms",
        ("",),
        (),
        {"seed": SEED},
        fixed={"n": 28, "graph": "johnson"},
    ),
    *(
        Family(f"rna-{structure}", "folding", "rna_named", "< 10 ms", ("",), fixed={"structure": structure})
        for structure in ("hairpin", "junction", "cloverleaf")
    ),
)


def names() -> list[str]:
    """Return the names of the standard problems; other sizes, seeds and relocations have names too.

    Returns:
        The names, in the order of the table in `docs/problems.md`.
    """
    return [family.stem + member for family in FAMILIES for member in family.listed]


def get(name: str) -> Problem:
    """Return a new problem by its name.

    Args:
        name: A name such as "pest-25". `names` lists the standard ones; "@1" at the end relocates the optimum with seed 1.

    Returns:
        The problem.

    Raises:
        UnknownProblemError: If no problem has this name.
    """
    if not isinstance(name, str):
        raise UnknownProblemError(f"got {name!r} as a problem's name; it is a string such as 'pest-25'")
    stem, at, seed = name.rpartition("@")
    if at:
        if not re.fullmatch(r"[0-9]+", seed):
            raise UnknownProblemError(f"'{name}': after the @ comes the seed of a relocation, a whole number, as in '{stem}@1'")
        return relocated(get(stem), int(seed))
    family = family_of(name)
    return family.build(**_keywords(name, family))


def family_of(name: str) -> Family:
    """Return the family whose stem the name starts with, the longest if there are several."""
    fitting = [family for family in FAMILIES if name == family.stem or name.startswith(f"{family.stem}-")]
    if not fitting:
        stems = ", ".join(family.stem for family in FAMILIES)
        raise UnknownProblemError(f"No problem is called '{name}'.{did_you_mean(name, names())} The families are {stems}")
    return max(fitting, key=lambda family: len(family.stem))


def _keywords(name: str, family: Family) -> dict[str, Any]:
    """Return the keywords of the family's builder that the name contains."""
    rest = name[len(family.stem) :]
    numbers = iter(family.numbers)
    found: dict[str, Any] = {}
    position = 0
    while position < len(rest):
        part = PART.match(rest, position)
        keyword = value = None
        if part and part["word"]:
            option = family.options.get(part["word"])
            if option and (option.kind is None) == (part["number"] is None):
                keyword, value = option.keyword, _read(part["number"], option.kind)
        elif part:
            keyword, value = next(numbers, None), _read(part["number"], int)
        if part is None or keyword is None or value is None or keyword in found:
            raise UnknownProblemError(
                f"'{name}': cannot read '{rest[position:]}'; this family's names are {family.grammar}[@seed]."
                f"{did_you_mean(name, names())}"
            )
        found[keyword] = value
        position = part.end()
    return found


def _read(number: str | None, kind: Callable[[str], Any] | None) -> Any:
    """Return the number converted to its kind, True for a flag, None if it cannot be converted."""
    try:
        return True if kind is None else kind(number or "")
    except ValueError:
        return None
