"""Every knob of the algorithm, its default as the paper has it, and where the paper says so."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from difflib import get_close_matches
from numbers import Integral
from typing import Any, Literal

from casmopolitan.errors import ConfigError
from casmopolitan.scalars import is_whole

Family = Literal["categorical", "overlap", "heat", "one-hot"]
"""Kernel of the discrete part: Eq. (1) (App. B.2 for ordinals), overlap, the freed heat kernel, one-hot columns."""

Scheme = Literal["initial", "current", "copula", "robust"]
"""Targets: standardised by the initial sample, by the current data, ranked, or robust (level of the initial sample)."""

AcquisitionName = Literal["ei", "log-ei", "augmented-ei", "ucb", "thompson"]

CHOICES: dict[str, tuple[str, ...]] = {
    "kernel": ("categorical", "overlap", "heat", "one-hot"),
    "priors": ("bounds", "freed"),
    "targets": ("initial", "current", "copula", "robust"),
    "mean": ("zero", "bowl"),
    "fit": ("adam", "lbfgs"),
    "acquisition": ("ei", "log-ei", "augmented-ei", "ucb", "thompson"),
    "incumbent": ("observed", "mean"),
    "search": ("interleaved", "steepest"),
    "search_start": ("best", "random"),
    "restart_design": ("random", "scored"),
    "data": ("region", "all"),
    "exhausted_by": ("either", "both"),
    "failures": ("avoided", "learnt"),
}

COUNTS = (
    "n_initial",
    "fit_starts",
    "fit_steps",
    "success_tolerance",
    "failure_tolerance",
    "search_steps",
    "search_runs",
    "candidates",
    "climbers",
    "restart_candidates",
    "capacity",
)
SWITCHES = ("noisy", "trust_region")
AMOUNTS = ("rate_spread", "fit_rate", "search_rate", "minimum_length", "initial_length", "maximum_length")
MARGINS = ("success_margin", "exploration")
BOUNDS = ("lengthscale_bounds", "outputscale_bounds", "noise_bounds")


@dataclass(frozen=True)
class Config:
    """The settings of one optimiser, fixed when it is made. Config() is the paper's (Wan et al., 2021), as `PAPER` is.

    To change a setting of the default: `dataclasses.replace(casmopolitan.DEFAULT, n_initial=5)`. docs/paper.md lists them all.
    """

    n_initial: int = 20
    """Random points before the first model, and again in each new region. App. C.3: 20."""

    noisy: bool = False
    """Whether the objective answers differently each time: replicates allowed, best by the model's mean."""

    kernel: Family = "categorical"
    """Kernel of the discrete variables. Eq. (1)."""
    ard: bool | Literal["continuous"] = "continuous"
    """One lengthscale a variable: of x, whose box they weight (Sec. 3.2); True: and of h (footnote to Eq. (1)); False: none."""
    trade_off: float | Literal["learnt", "weights", "orders"] = 0.5
    """λ of Eq. (4), 0.5 in App. C.3; 'learnt'; 'weights' of product and sums; 'orders': one more of x with each choice."""
    priors: Literal["bounds", "freed"] = "bounds"
    """'bounds': App. C.3's boxes, no prior. 'freed': wide boxes with log-normal priors, rates shrunk to a shared level."""
    rate_level: float | None = 3.0
    """Freed: the rates' prior is centred on this over d_h: exp(-level) where all variables differ. None: 1.5, with x 3."""
    rate_spread: float = 1.7
    """Freed: how far the rates may stray from the level they share; the logarithm of each by this over √d_h (deviation)."""
    lengthscale_bounds: tuple[float, float] = (0.01, 0.5)
    """App. C.3 (the authors' code: up to 2.5 without ARD, none in the mixed kernel)."""
    outputscale_bounds: tuple[float, float] = (0.5, 5.0)
    """App. C.3."""
    noise_bounds: tuple[float, float] = (1e-5, 0.1)
    """Noise variance of the standardised targets. App. C.3 (the authors' code: from 1e-6)."""
    targets: Scheme = "initial"
    """App. C.3: standardised by mean and deviation of the initial sample (the authors' code: copula of ranks)."""
    mean: Literal["zero", "bowl"] = "zero"
    """The process's mean: zero (App. A), or a bowl around the middle of ordered variables' ranges, as steep as the data say."""
    fit: Literal["adam", "lbfgs"] = "adam"
    """App. C.3: Adam on the log marginal likelihood."""
    fit_starts: int = 3
    """App. C.3: the likelihood is optimised 3 times."""
    fit_steps: int = 100
    """App. C.3: maximum steps (the authors' code: 300)."""
    fit_rate: float = 0.1
    """App. C.3: Adam's learning rate (the authors' code: 0.03)."""
    data: Literal["region", "all"] = "region"
    """What the local model sees: the current region's observations (Algorithm 1, line 6: reset GP) or all."""

    capacity: int = 1000
    """Observations the local model is fitted to at most, the best and those nearest the centre. The paper sets no limit."""

    trust_region: bool = True
    """Whether the search is confined at all (Sec. 4.4 ablates it)."""
    global_every: int = 0
    """One trial in so many searches the whole space, outside the region's count (without x: two, once L^h shrank); 0: none."""
    success_tolerance: int = 2
    """Successes in a row that grow the region. App. C.3 `succ_tol` (the authors' code: 3)."""
    failure_tolerance: int = 40
    """Failures in a row that shrink it. App. C.3 `fail_tol`."""
    factor: float = 1.5
    """α_e = 1/α_s. App. B.5: 1.5."""
    success_margin: float = 0.0
    """How much better than the region's best counts as success, relative to it (the authors' code: 1e-3)."""
    initial_radius: int | None = None
    """L_0^h; None is ⌈0.8 d_h⌉, which gives App. B.5's 20 of 25 and 40 of 50."""
    minimum_radius: int = 0
    """L_min^h: a region whose radius reaches it is exhausted. App. C.3: 0 (the authors' code: 1)."""
    exhausted_by: Literal["either", "both"] = "either"
    """Whether a region ends when either part's length has reached its minimum (Sec. 3.2), or only when both have."""
    initial_length: float = 0.8
    """L_0^x in the unit cube. App. C.3."""
    minimum_length: float = 0.5**7
    """L_min^x. App. C.3."""
    maximum_length: float = 1.6
    """L_max^x. App. C.3."""

    acquisition: AcquisitionName = "ei"
    """App. C.3: expected improvement (the authors' code: augmented EI). Of a noisy objective 'log-ei' is augmented too."""
    incumbent: Literal["observed", "mean"] = "observed"
    """What EI improves on: the best observed value, or the lowest posterior mean; pending trials count as believed."""
    exploration: float = 1.96
    """√β where the acquisition is UCB."""
    failures: Literal["avoided", "learnt"] = "avoided"
    """Failed trials: their points are not tried again; or log EI is weighed by the probability of success as well."""
    search: Literal["interleaved", "steepest"] = "interleaved"
    """Sec. 3.1 and 3.2: random neighbours one by one, interleaved with gradient steps; or all neighbours at once."""
    search_start: Literal["best", "random"] = "best"
    """App. C.3: at the best location so far (Sec. 3.1 says a random point of the region)."""
    search_steps: int = 100
    """App. C.3: local or interleaved steps a run (the authors' code: 200)."""
    search_runs: int = 3
    """App. C.3: 3 runs, the best point kept."""
    search_rate: float = 0.1
    """Adam's learning rate in x, relative to the region's sides. The paper gives 0.1 for the likelihood, none for x."""

    candidates: int = 1000
    """Steepest search: random points of the region scored before the climb."""
    climbers: int = 8
    """Steepest search: how many of them climb, beside the best points observed."""

    restart_exploration: float | Literal["theory"] = 1.96
    """√β_i of Eq. (3). App. C.3: 1.96; 'theory' takes the β_i of Theorems 3.3 and 3.4."""
    restart_initial: int | None = None
    """Initial points of a later region beside its centre; None is n_initial (Algorithm 1, line 6)."""
    restart_candidates: int = 5000
    """Points scored for Eq. (3), at most 100 a dimension. App. B.7: 'a large number' (the authors' code: the same rule)."""
    restart_design: Literal["random", "scored"] = "random"
    """The new region's initial points: random in it (Algorithm 1, line 6), or the top-scored ones of the space (App. B.7)."""

    def __post_init__(self) -> None:
        for name in (*COUNTS, "global_every", "restart_initial", "minimum_radius", "initial_radius"):
            if not isinstance(value := getattr(self, name), int) and isinstance(value, Integral):
                object.__setattr__(self, name, int(value))
        for name in BOUNDS:
            if isinstance(value := getattr(self, name), list):
                object.__setattr__(self, name, tuple(value))
        problems = [*_form_problems(self), *_range_problems(self)]
        if problems:
            raise ConfigError(problems)

    def __repr__(self) -> str:
        """The settings that are not the paper's."""
        changed = [f"{f.name}={value!r}" for f in fields(self) if (value := getattr(self, f.name)) != f.default]
        return f"Config({', '.join(changed)})"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Config:
        """The config that `to_dict` described; unknown names are an error."""
        if not isinstance(values, dict):
            raise ConfigError([f"got {values!r} as settings; they are a dict of names and values"])
        known = {field.name for field in fields(cls)}
        problems = [_unknown(name, sorted(known)) for name in sorted(set(values) - known, key=str)]
        given: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items() if k in known}
        try:
            made = cls(**given)
        except ConfigError as error:
            raise ConfigError([*problems, *error.problems]) from None
        if problems:
            raise ConfigError(problems)
        return made


def seed_problems(seed: object) -> list[str]:
    """Return what is wrong with a seed; an empty list if nothing is."""
    if seed is None or (is_whole(seed) and seed >= 0):
        return []
    return [f"seed is {seed!r}; it must be a whole number of at least 0, or None to have one drawn"]


def config_problems(config: object) -> list[str]:
    """Return what is wrong with an argument that should be a Config; an empty list if nothing is."""
    return [] if isinstance(config, Config) else [f"config is {config!r}; give a Config, e.g. casmopolitan.PAPER"]


def _unknown(name: object, known: list[str]) -> str:
    near = get_close_matches(str(name), known, n=1)
    return f"unknown setting {name!r}; " + (f"did you mean {near[0]!r}?" if near else f"the settings are {', '.join(known)}")


def _is_number(value: object, low: float) -> bool:
    """Whether the value is a finite number of at least `low`; True and False are none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and low <= value < math.inf


def _is_whole(value: object, low: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= low


def _form_problems(config: Config) -> list[str]:
    """Settings that are not of their kind: one of several words, a whole number, True or False, an amount, two bounds."""
    problems = []
    for names, fits, law in (
        (COUNTS, lambda value: _is_whole(value, 1), "a whole number of at least 1"),
        (SWITCHES, lambda value: isinstance(value, bool), "True or False"),
        (AMOUNTS, lambda value: _is_number(value, math.ulp(0.0)), "a number above 0"),
        (MARGINS, lambda value: _is_number(value, 0), "a number of at least 0"),
        (BOUNDS, _are_bounds, "two positive numbers, the smaller first"),
    ):
        problems += [f"{n} is {getattr(config, n)!r}; it must be {law}" for n in names if not fits(getattr(config, n))]
    for name, allowed in CHOICES.items():
        if getattr(config, name) not in allowed:
            problems.append(f"{name} is {getattr(config, name)!r}; it must be one of {', '.join(map(repr, allowed))}")
    return problems


def _are_bounds(value: object) -> bool:
    if not (isinstance(value, tuple | list) and len(value) == 2 and all(_is_number(v, math.ulp(0.0)) for v in value)):
        return False
    return bool(value[0] <= value[1])


def _range_problems(config: Config) -> list[str]:
    """Settings with laws of their own."""
    problems = []
    free, lam = ("learnt", "weights", "orders"), config.trade_off
    if lam not in free and not (_is_number(lam, 0) and lam <= 1):  # type: ignore[operator]
        problems.append(f"trade_off is {lam!r}; λ of Eq. (4) is a number in [0, 1], 'learnt', 'weights' or 'orders'")
    if repr(config.ard) not in ("True", "False", "'continuous'"):
        problems.append(f"ard is {config.ard!r}; it must be True, False, or 'continuous'")
    if config.rate_level is not None and not _is_number(config.rate_level, 1e-4):
        problems.append(f"rate_level is {config.rate_level!r}; it must be a number of at least 1e-4, or None")
    for name in ("global_every", "restart_initial"):
        value = getattr(config, name)
        if not _is_whole(value, 0) and not (value is None and name == "restart_initial"):
            problems.append(f"{name} is {value!r}; it must be a whole number of at least 0")
    if not (_is_number(config.factor, 1) and config.factor > 1):
        problems.append(f"factor is {config.factor!r}; a region grows and shrinks by a factor above 1")
    if config.restart_exploration != "theory" and not _is_number(config.restart_exploration, 0):
        problems.append(f"restart_exploration is {config.restart_exploration!r}; it must be at least 0, or 'theory'")
    if not _is_whole(config.minimum_radius, 0):
        problems.append(f"minimum_radius is {config.minimum_radius!r}; it must be a whole number of at least 0")
    elif config.initial_radius is not None and not _is_whole(config.initial_radius, config.minimum_radius + 1):
        problems.append(f"initial_radius is {config.initial_radius!r}; it must be a whole number above minimum_radius, or None")
    lengths = (config.minimum_length, config.initial_length, config.maximum_length)
    if all(_is_number(length, 0) for length in lengths) and not lengths[0] < lengths[1] <= lengths[2]:
        problems.append("the lengths must satisfy 0 < minimum_length < initial_length <= maximum_length")
    return problems
