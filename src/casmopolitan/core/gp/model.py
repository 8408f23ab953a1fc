"""Algorithm 1, line 12: from observations to a conditioned Gaussian process. Values and predictions are in the user's units."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.fit import fit_hyperparameters
from casmopolitan.core.gp.hyperparameters import Hyperparameters, paper_parameters
from casmopolitan.core.gp.mean import CLEAR, Bowl
from casmopolitan.core.gp.past_targets import earlier_targets, present_targets
from casmopolitan.core.gp.posterior import Breakdown, Posterior, condition
from casmopolitan.core.gp.priors import parameters_for
from casmopolitan.core.gp.targets import Targets, transformed
from casmopolitan.core.kernels.base import Role, placed
from casmopolitan.core.kernels.coding import NO_TASKS, coded
from casmopolitan.core.kernels.select import across_studies, configured_kernel, kernel_for
from casmopolitan.core.past import Past
from casmopolitan.core.points import Array, Codes, Points, stack
from casmopolitan.core.rng import Purpose, stream
from casmopolitan.core.state import State, design_size

MOST_KEPT = 2000
"""Longer vectors of hyperparameters are not recorded, and the next fit starts cold.

At about seven characters each they would add more than 14 kB to the record of every trial. With the default settings no
vector is that long: more than 800 discrete variables share one rate.
"""

MOST_PAST = 300
"""Trials of earlier studies in one model. More would make every fit slow."""

UNRELATED = 0.8
"""An earlier study with a larger rate, whose values correlate with the present ones by less than 0.45, counts as unrelated."""

SPARSE_NOTE = "the model assumes that few variables matter"
"""The note of a model with the sparse prior."""

ALIKE_NOTE = "the model assumes that all variables matter alike"
"""The note of a model in which all choices share one rate."""


@dataclass(frozen=True, eq=False)
class Model:
    """A posterior and the map of its targets; `note` says how it differs from the configured model."""

    posterior: Posterior
    targets: Targets
    note: str = ""

    def lengthscales(self) -> Array:
        """Return the fitted lengthscale of each continuous variable (d_x,): they weight the sides of the trust region."""
        blocks, theta = placed(self.posterior.kernel.blocks), self.posterior.hyperparameters.kernel
        found = [theta[where] for block, where in blocks if block.role is Role.LENGTHSCALE]
        d_x = self.posterior.domain.d_x
        return np.broadcast_to(np.concatenate(found), (d_x,)) if found else np.ones(d_x)

    def study_rates(self) -> Array:
        """Return the rate of each earlier study that the model learns from (`kernels/task.py`)."""
        kernel, theta = self.posterior.kernel, self.posterior.hyperparameters.kernel
        rates = [theta[place] for block, place in placed(kernel.blocks) if block.role is Role.TASK]
        return rates[0] if rates else np.empty(0)

    @property
    def has_related_studies(self) -> bool:
        """Whether any earlier study says something about the present task."""
        return bool((self.study_rates() < UNRELATED).any())

    def predict(self, points: Points) -> tuple[Array, Array]:
        """Return mean and deviation in the user's units."""
        mean, variance = self.posterior.moments(points)
        return self.targets.invert(mean, np.sqrt(variance))

    def predicted_at(self, point: Points) -> tuple[float, float] | tuple[None, None]:
        """Return mean and deviation at one point; None if the targets are ranks, which have no magnitudes."""
        mean, deviation = (float(part[0]) for part in self.predict(point))
        return (mean, deviation) if math.isfinite(mean) and math.isfinite(deviation) else (None, None)

    def recorded(self) -> tuple[float, ...] | None:
        """Return θ to four digits, as recorded with a trial; None if the model has a note or θ is longer than MOST_KEPT."""
        return None if self.note else recorded(self.posterior)


def recorded(posterior: Posterior) -> tuple[float, ...] | None:
    """Return θ to four digits; None if it is longer than MOST_KEPT."""
    theta = posterior.theta
    return tuple(float(f"{value:.4g}") for value in theta) if len(theta) <= MOST_KEPT else None


def nearest(points: Points, y: Array, capacity: int) -> tuple[Points, Array]:
    """Return at most `capacity` of the data, in their order: a fifth are the best, the others lie nearest to the best point.

    The distance is the fraction of discrete variables that differ plus the mean squared difference in x.
    """
    if len(y) <= capacity:
        return points, y
    kept = nearest_rows(points, y, capacity)
    return points[kept], y[kept]


def nearest_rows(points: Points, y: Array, capacity: int) -> Codes:
    """Return the rows that `nearest` keeps."""
    if len(y) <= capacity:
        return np.arange(len(y))
    order = np.argsort(y, kind="stable")
    centre = points[int(order[0])]
    away = (points.h != centre.h).mean(axis=1) if points.h.shape[1] else np.zeros(len(y))
    if points.x.shape[1]:
        away = away + ((points.x - centre.x) ** 2).mean(axis=1)
    away[order[: capacity // 5]] = -1.0
    return np.sort(np.argsort(away, kind="stable")[:capacity])


def nearest_outcomes(domain: Domain, config: Config, state: State, region: int | None) -> tuple[Points, Array, Array]:
    """Return the points and outcomes of one region, or of all, within the capacity, and the outcomes of the initial points."""
    points, values = state.measured(domain, region)
    sample = state.measured_sample(design_size(config, region or 0), region)
    kept = nearest_rows(points, state.outcomes.merits(values, sample), config.capacity)
    return points[kept], values[kept], sample


def fit_history(
    domain: Domain,
    config: Config,
    state: State,
    region: int | None,
    rng: np.random.Generator,
    two_starts: bool,
    warm: bool = True,
) -> Model | Breakdown:
    """Fit to the observations of one region, or of all; if `warm`, start from the last hyperparameters."""
    points, y = nearest(*state.seen(domain, region), config.capacity)
    sample = state.sample(design_size(config, region or 0), region)
    theta = state.regions[state.current].theta if warm else None
    start = None if theta is None else np.array(theta)
    if state.past is not None:
        return fit_with_past(domain, config, state.past, points, y, sample, start, rng, two_starts)
    return fit_model(domain, config, points, y, sample, start, rng, two_starts)


def overall_model(domain: Domain, config: Config, seed: int, state: State) -> Model | None:
    """Fit a model of all observations, for predictions and for the best of noisy trials; None if there is no observation."""
    n = len(state.observations)
    known = n or state.past is not None
    model = fit_history(domain, config, state, None, stream(seed, n, Purpose.FIT), two_starts=True) if known else None
    return model if isinstance(model, Model) else None


def fit_model(
    domain: Domain,
    config: Config,
    points: Points,
    y: Array,
    sample: Array,
    start: Array | None,
    rng: np.random.Generator,
    two_starts: bool = False,
    refit: bool = True,
) -> Model | Breakdown:
    """Fit a model of y at the points (n >= 1), or a simpler one if that breaks down.

    `sample` holds the values of the initial points, `start` the hyperparameters of an earlier fit; `two_starts` and `refit` are
    for `fit_posterior`.
    """
    t, targets = transformed(y, config.targets, sample, domain.d_x > 0)
    fitted = fit_posterior(domain, config, points, t, NO_TASKS, start, rng, two_starts, refit)
    return fitted if isinstance(fitted, Breakdown) else Model(fitted[0], targets, fitted[1])


def fit_with_past(
    domain: Domain,
    config: Config,
    past: Past,
    points: Points,
    y: Array,
    sample: Array,
    start: Array | None,
    rng: np.random.Generator,
    two_starts: bool,
) -> Model | Breakdown:
    """Fit a model of y at the points (n >= 0) and of the earlier studies; the other arguments are those of `fit_model`.

    Studies that turn out to be unrelated are left out of a second fit: they would still shape the rates of the variables.
    """
    t, targets = present_targets(domain, config, past.values, y, sample)
    related = np.arange(1, past.studies + 1)
    while True:
        fitted = fit_posterior(domain, config, *_with_studies(domain, config, past, points, t, related), start, rng, two_starts)
        if isinstance(fitted, Breakdown):
            return fitted
        model = Model(fitted[0], targets, fitted[1])
        left = related[model.study_rates() < UNRELATED]
        if len(left) == len(related) or len(left) + len(y) == 0:
            return model
        related = left


def _with_studies(
    domain: Domain, config: Config, past: Past, points: Points, t: Array, studies: Codes
) -> tuple[Points, Array, Codes]:
    """Return the points, targets and tasks of some earlier studies, then those of the present task."""
    chosen = np.isin(past.task, studies)
    earlier, where = earlier_targets(domain, config, past)[chosen], past.points[chosen]
    kept = nearest_rows(where, earlier, min(MOST_PAST, max(1, config.capacity - len(t))))
    task = np.searchsorted(studies, past.task[chosen][kept]) + 1
    task = np.concatenate([task, np.zeros(len(t) if len(studies) else 0, dtype=np.int64)])
    return stack([where[kept], points]), np.concatenate([earlier[kept], t]), task


def fit_posterior(
    domain: Domain,
    config: Config,
    points: Points,
    t: Array,
    task: Codes,
    start: Array | None,
    rng: np.random.Generator,
    two_starts: bool = False,
    refit: bool = True,
    limit: bool = False,
) -> tuple[Posterior, str] | Breakdown:
    """Fit a process to the targets t at the points (n >= 1), or a simpler one if that breaks down; a note says which.

    `task` holds the number of the earlier study that each point is from, 0 for the present task; it is empty without studies.
    Unless `refit`, the hyperparameters are those of `start`, if it has the right length. `limit`: the model is that of
    a limit, for which less noise is assumed.
    """
    studies = int(task.max(initial=0))
    kernel = across_studies(configured_kernel(domain, config), studies)
    bowl = None if config.mean == "zero" else Bowl.of(domain, CLEAR if config.mean == "clear-bowl" else 0.0)
    phi = None if bowl is None else bowl(points)
    parameters = parameters_for(kernel, config, domain.d_h, domain.d_x, limit)
    data = coded(domain, points, task)
    if not refit and start is not None and len(start) == len(parameters):
        theta: Array | None = parameters.clipped(start)
    else:
        fit = fit_hyperparameters(kernel, parameters, config, data, t, phi, start, rng, two_starts)
        theta = fit.theta if math.isfinite(fit.value) else None
    if theta is not None:
        posterior = condition(domain, kernel, theta, points, t, bowl, data)
        if isinstance(posterior, Posterior):
            return posterior, "jitter" if posterior.jitter else ""
    simple = across_studies(kernel_for(domain, "categorical", ard=False, trade_off=0.5), studies)
    simplest = paper_parameters(simple)
    most_noise = Hyperparameters.of(simplest.high).noise
    theta = Hyperparameters.of(simplest.start)._replace(noise=most_noise).flat()
    posterior = condition(domain, simple, theta, points, t, data=data)
    return (posterior, "simpler model") if isinstance(posterior, Posterior) else posterior
