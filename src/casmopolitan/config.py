"""The settings of the algorithm. The defaults are the paper's, and each field names its source."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from casmopolitan.errors import ConfigError
from casmopolitan.formatting import did_you_mean, join_values
from casmopolitan.scalars import is_finite, is_whole

Family = Literal["categorical", "overlap", "heat", "one-hot"]
"""Kernel of the discrete variables: Eq. (1) (App. B.2 for ordinals), overlap, the heat kernel, or one-hot columns."""

Scheme = Literal["initial", "current", "copula", "robust"]
"""Targets: standardised by the initial sample or by all current data, ranked, or robust to outliers."""

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
MARGINS = ("success_margin", "exploration", "apart")
BOUNDS = ("lengthscale_bounds", "outputscale_bounds", "noise_bounds")
LEAST, MOST = 1e-30, 10**9
"""The smallest and the largest positive number that a setting may be: beyond them, squares and exponentials overflow."""

LARGEST_SEED = 2**128 - 1
"""As large as the entropy that NumPy draws."""


@dataclass(frozen=True)
class Config:
    """The settings of an optimiser. `Config()` equals `PAPER`, the settings of Wan et al. (2021).

    To change a setting of the default, write `dataclasses.replace(casmopolitan.DEFAULT, n_initial=5)`. In the text below,
    h are the discrete variables and x the continuous ones; d_h and d_x are their numbers.

    Raises:
        ConfigError: If settings are out of range; the message lists all problems.
    """

    n_initial: int = 20
    """Points of the first design, before the first model; as many random ones in each new region. App. C.3: 20."""

    design: Literal["random", "balanced"] = "random"
    """Points of the first design: random (App. C.3), or 'balanced': every choice of a variable is used equally often (up to
    one), and so is each of `n_initial` equal parts of a range. Unused ones come first; past data count."""

    noisy: bool = False
    """Whether repeated evaluations differ. If so, points may be repeated, and the best trial is the one with the best posterior
    mean."""

    kernel: Family = "categorical"
    """Kernel of the discrete variables. Eq. (1)."""
    ard: bool | Literal["continuous"] = "continuous"
    """Which variables have their own lengthscale. 'continuous': only x, whose lengthscales also shape the box. True: h as well
    (Sec. 3.1 and the footnote to Eq. (1)). False: none."""
    trade_off: float | Literal["learnt", "weights", "orders"] = 0.5
    """λ of Eq. (4). App. C.3: 0.5. 'learnt': λ is fitted. 'weights': each of its three terms has a fitted weight. 'orders': as
    'weights', with a fourth term in which the function of x depends on one discrete variable at a time."""
    priors: Literal["bounds", "freed"] = "bounds"
    """'bounds': hyperparameters lie in the intervals of App. C.3, without priors. 'freed': wide intervals with priors of
    the logarithms, and the rates of the discrete variables (inverse lengthscales) shrink towards a shared level."""
    rate_level: float | None = 3.0
    """With `priors='freed'`: prior median of each rate, times d_h. Points that differ in every variable then correlate by
    exp(-rate_level). None: 0.5 without continuous variables, 3 with."""
    rate_spread: float = 1.0
    """With `priors='freed'`: prior scale of each log rate around the shared level, times √d_h. The prior is a Student t with
    two degrees of freedom, so that a few rates may differ from the others a lot."""
    rate_prior: Literal["alike", "sparse"] = "alike"
    """With `priors='freed'`: 'alike' is the prior of `rate_level` and `rate_spread`, which expects most rates to be alike.
    'sparse' expects nearly all of them to be tiny, so that few variables matter."""
    lengthscale_bounds: tuple[float, float] = (0.01, 0.5)
    """Interval of the lengthscales with `priors='bounds'`. App. C.3 (the authors' code: up to 2.5 without ARD, no limits in
    the mixed kernel). The kernel 'one-hot' has bounds of its own."""
    outputscale_bounds: tuple[float, float] = (0.5, 5.0)
    """Interval of the output scale with `priors='bounds'`. App. C.3."""
    noise_bounds: tuple[float, float] = (1e-5, 0.1)
    """Interval of the noise variance of the standardised targets with `priors='bounds'`. App. C.3 (the authors' code: from
    1e-6)."""
    targets: Scheme = "initial"
    """How values become the targets of the model. 'initial': standardised by mean and deviation of the initial sample (App.
    C.3). 'current': by those of all current data. 'copula': ranks (the authors' code). 'robust': centred on the median of the
    initial sample, scaled by its median deviation (with continuous variables: that of all data), bad outliers compressed."""
    mean: Literal["zero", "bowl", "clear-bowl"] = "zero"
    """Prior mean of the process. 'zero' (App. A), or a 'bowl' around the middle of each ordered variable's range; its
    steepness is fitted. 'clear-bowl': a bowl only where the data show it clearly. With two or three objectives, 'bowl' means
    'clear-bowl'."""
    fit: Literal["adam", "lbfgs"] = "adam"
    """Optimiser of the log marginal likelihood. App. C.3: Adam."""
    fit_starts: int = 3
    """Starts of the optimiser per fit; the best result is kept. App. C.3: 3."""
    fit_steps: int = 100
    """Maximum number of steps per start. App. C.3 (the authors' code: 300)."""
    fit_rate: float = 0.1
    """Adam's learning rate. App. C.3 (the authors' code: 0.03)."""
    data: Literal["region", "all"] = "region"
    """Observations of the local model: those of the current region (Algorithm 1, line 6: reset GP), or all."""

    capacity: int = 1000
    """Maximum number of observations in the local model. If there are more, the best and those nearest to the best are kept.
    The paper sets no limit."""

    trust_region: bool = True
    """Whether the search is limited to a trust region. Sec. 4.4 switches it off as an ablation."""
    global_every: int = 0
    """Every `global_every`-th trial searches the whole space and does not count as a success or failure. Twice as often in
    purely discrete spaces once the radius has shrunk. With one objective and fewer than 60 discrete variables such a trial also
    doubles the predicted deviations; with up to 25 and before trial 64 it asks a second model, the paper's. 0 disables it."""
    sparse_every: int = 0
    """With 60 to 400 variables, all discrete, `priors='freed'`, and one objective without limits: every `sparse_every`-th trial
    uses the sparse `rate_prior` and searches the whole space. Most trials do so while trials over the whole space succeed more
    often than those in the region, or while trials that change many variables have exactly the best value. 0 disables it."""
    success_tolerance: int = 2
    """Successes in a row that grow the region. App. C.3 `succ_tol` (the authors' code: 3)."""
    failure_tolerance: int = 40
    """Failures in a row that shrink the region. App. C.3 `fail_tol`."""
    factor: float = 1.5
    """Factor by which a region grows or shrinks: α_e = 1/α_s. App. B.5: 1.5."""
    success_margin: float = 0.0
    """By how much a success must improve on the region's best value, relative to that value (the authors' code: 1e-3)."""
    initial_radius: int | None = None
    """L_0^h, the first Hamming radius. None: ⌈0.8 d_h⌉, which gives App. B.5's 20 of 25 and 40 of 50."""
    minimum_radius: int = 0
    """L_min^h: a region whose radius reaches it is exhausted. App. C.3: 0 (the authors' code: 1)."""
    exhausted_by: Literal["either", "both"] = "either"
    """Whether a region ends when either the radius or the length has reached its minimum (Sec. 3.2), or only when both have."""
    initial_length: float = 0.8
    """L_0^x, the first side of the box in the unit cube. App. C.3."""
    minimum_length: float = 0.5**7
    """L_min^x: a region whose box reaches it is exhausted. App. C.3."""
    maximum_length: float = 1.6
    """L_max^x, the largest side of the box. App. C.3."""

    acquisition: Literal["ei", "log-ei", "augmented-ei", "ucb", "thompson"] = "ei"
    """Acquisition function. App. C.3: expected improvement (the authors' code: augmented EI). For noisy objectives 'log-ei' is
    augmented too."""
    incumbent: Literal["observed", "mean"] = "observed"
    """The value that EI improves on: the best observed value, or the lowest posterior mean, which includes pending trials at
    their assumed values."""
    apart: float = 0.0
    """Minimum distance to pending trials with the same choices: at least one number must differ by more than this share of its
    range. A hundredth of it is enough for evaluated points; on a grid they need only differ, and if `noisy` they may be equal.
    Ignored if the space has no other point. 0: points need only differ."""
    exploration: float = 1.96
    """√β of the acquisition function 'ucb'."""
    failures: Literal["avoided", "learnt"] = "avoided"
    """'avoided': points that failed are not tried again. 'learnt': in addition, log EI is weighted by the probability of
    success."""
    search: Literal["interleaved", "steepest"] = "interleaved"
    """Search of the acquisition function. 'interleaved': one random neighbour at a time, alternating with gradient steps in x
    (Sec. 3.1 and 3.2). 'steepest': all neighbours at once, and every point of a small discrete space."""
    search_start: Literal["best", "random"] = "best"
    """Where the interleaved search starts: at the best location so far (App. C.3), or at a random point of the region
    (Sec. 3.1). With 'best' and continuous variables the second and third runs start at the best of 2,000 random points."""
    search_steps: int = 100
    """Steps per run of the interleaved search. App. C.3 (the authors' code: 200)."""
    search_runs: int = 3
    """Runs of the interleaved search; the best point is kept. App. C.3: 3."""
    search_rate: float = 0.1
    """The first gradient step in x, relative to the sides of the region. The paper gives 0.1 for the likelihood, none for x."""

    candidates: int = 1000
    """Steepest search: random points of the region scored before the climb."""
    climbers: int = 8
    """Steepest search: how many of these candidates climb, in addition to the best observed points."""

    restart_centre: Literal["ucb", "random"] = "ucb"
    """Centre of a new region: the point of Eq. (3), or a random point of the space, with which App. B.7 compares it."""
    restart_exploration: float | Literal["theory"] = 1.96
    """√β_i of Eq. (3). App. C.3: 1.96. 'theory' uses the β_i of Theorems 3.3 and 3.4."""
    restart_initial: int | None = None
    """Initial points of a later region in addition to its centre. None: `n_initial` (Algorithm 1, line 6)."""
    restart_candidates: int = 5000
    """Points scored for Eq. (3), at most 100 per dimension. App. B.7: 'a large number' (the authors' code: the same rule)."""
    restart_design: Literal["random", "scored"] = "random"
    """Initial points of a new region: random points of the region (Algorithm 1, line 6), or the points of the whole space with
    the best scores (App. B.7)."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.generic):
                object.__setattr__(self, field.name, value.item())
            elif isinstance(value, list | tuple) and field.name in BOUNDS:
                plain = tuple(bound.item() if isinstance(bound, np.generic) else bound for bound in value)
                object.__setattr__(self, field.name, plain)
        problems = [*_form_problems(self), *_range_problems(self)]
        if problems:
            raise ConfigError(problems)

    def __repr__(self) -> str:
        """Return the settings that differ from the paper's."""
        changed = [f"{f.name}={value!r}" for f in fields(self) if (value := getattr(self, f.name)) != f.default]
        return f"Config({', '.join(changed)})"

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain values, ready for JSON.

        Returns:
            A dict of names and values.
        """
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Config:
        """Return the settings that `to_dict` wrote; missing ones have the paper's values.

        Args:
            values: A dict of names and values.

        Returns:
            The settings.

        Raises:
            ConfigError: If a name is unknown or a value is out of range; the message lists all problems.
        """
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
    """Return the problems with a seed; empty if it is valid."""
    if seed is None or (is_whole(seed) and 0 <= seed <= LARGEST_SEED):
        return []
    shown = f"a number of {seed.bit_length()} bits" if is_whole(seed) and seed > LARGEST_SEED else repr(seed)
    return [f"seed is {shown}; it must be a whole number from 0 to 2**128 - 1, or None to draw one"]


def config_problems(config: object) -> list[str]:
    """Return the problems with an argument that should be a Config; empty if it is one."""
    return [] if isinstance(config, Config) else [f"config is {config!r}; give a Config, e.g. casmopolitan.PAPER"]


@cache
def _choices() -> dict[str, tuple[str, ...]]:
    """Return the allowed values of the settings that take one of several names."""
    return {name: get_args(hint) for name, hint in get_type_hints(Config).items() if get_origin(hint) is Literal}


def _unknown(name: object, known: list[str]) -> str:
    hint = did_you_mean(name, known) or f" The settings are {', '.join(known)}."
    return f"unknown setting {name!r}.{hint}"


def _is_number(value: object, low: float) -> bool:
    return is_finite(value) and value >= low


def _is_whole(value: object, low: int) -> bool:
    return is_whole(value) and value >= low


def _form_problems(config: Config) -> list[str]:
    """Return the problems with types and simple ranges: counts, switches, amounts, margins, bounds and names."""
    problems = []
    for names, fits, rule in (
        (COUNTS, lambda value: _is_whole(value, 1) and value <= MOST, f"a whole number from 1 to {MOST:,}"),
        (SWITCHES, lambda value: isinstance(value, bool), "True or False"),
        (AMOUNTS, lambda value: _is_number(value, LEAST) and value <= MOST, f"a number from {LEAST:g} to {MOST:,}"),
        (MARGINS, lambda value: _is_number(value, 0) and value <= MOST, f"a number from 0 to {MOST:,}"),
        (BOUNDS, _are_bounds, f"two numbers from {LEAST:g} to {MOST:,}, the smaller first"),
    ):
        problems += [f"{n} is {getattr(config, n)!r}; it must be {rule}" for n in names if not fits(getattr(config, n))]
    for name, allowed in _choices().items():
        if getattr(config, name) not in allowed:
            problems.append(f"{name} is {getattr(config, name)!r}; it must be one of {join_values(allowed)}")
    return problems


def _are_bounds(value: object) -> bool:
    if not (isinstance(value, tuple | list) and len(value) == 2 and all(_is_number(v, LEAST) for v in value)):
        return False
    return bool(value[0] <= value[1] <= MOST)


def _range_problems(config: Config) -> list[str]:
    """Return the problems with settings that have special rules."""
    problems = []
    free, lam = ("learnt", "weights", "orders"), config.trade_off
    if lam not in free and not (_is_number(lam, 0) and lam <= 1):  # type: ignore[operator]
        problems.append(f"trade_off is {lam!r}; λ of Eq. (4) is a number in [0, 1], 'learnt', 'weights' or 'orders'")
    if repr(config.ard) not in ("True", "False", "'continuous'"):
        problems.append(f"ard is {config.ard!r}; it must be True, False, or 'continuous'")
    if config.rate_level is not None and not (_is_number(config.rate_level, 1e-4) and config.rate_level <= MOST):
        problems.append(f"rate_level is {config.rate_level!r}; it must be a number from 1e-4 to {MOST:,}, or None")
    for name in ("global_every", "sparse_every", "restart_initial"):
        value = getattr(config, name)
        if not _is_whole(value, 0) and not (value is None and name == "restart_initial"):
            problems.append(f"{name} is {value!r}; it must be a whole number of at least 0")
    if not (_is_number(config.factor, 1) and 1 < config.factor <= MOST):
        problems.append(f"factor is {config.factor!r}; a region grows and shrinks by a factor above 1, at most {MOST:,}")
    if config.restart_exploration != "theory" and not (
        _is_number(config.restart_exploration, 0) and float(config.restart_exploration) <= MOST
    ):
        problems.append(f"restart_exploration is {config.restart_exploration!r}; it must be from 0 to {MOST:,}, or 'theory'")
    if not _is_whole(config.minimum_radius, 0):
        problems.append(f"minimum_radius is {config.minimum_radius!r}; it must be a whole number of at least 0")
    elif config.initial_radius is not None and not _is_whole(config.initial_radius, config.minimum_radius + 1):
        problems.append(f"initial_radius is {config.initial_radius!r}; it must be a whole number above minimum_radius, or None")
    lengths = (config.minimum_length, config.initial_length, config.maximum_length)
    if all(_is_number(length, 0) for length in lengths) and not lengths[0] < lengths[1] <= lengths[2]:
        problems.append("the lengths must satisfy 0 < minimum_length < initial_length <= maximum_length")
    return problems
