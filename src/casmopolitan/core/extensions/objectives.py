"""Beyond the paper: two or three objectives, each with its own Gaussian process, and the expected hypervolume improvement."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from casmopolitan.core.acquisition.acquisition import Score
from casmopolitan.core.acquisition.hypervolume import HypervolumeImprovement
from casmopolitan.core.ask import Extension
from casmopolitan.core.front import MARGIN, boxes, contributions, inside, non_dominated, reference_point
from casmopolitan.core.gp.fit import SECOND_START
from casmopolitan.core.gp.joint import Joint
from casmopolitan.core.gp.model import Model
from casmopolitan.core.gp.objective_models import fit_objectives
from casmopolitan.core.gp.posterior import Breakdown
from casmopolitan.core.points import Array, Points, stack
from casmopolitan.core.rng import Purpose
from casmopolitan.core.search.believer import kriging_believer
from casmopolitan.core.state import Prediction, design_size

MOST = 3
"""The largest number of objectives for this method; with more there are too many boxes."""

LEAST_RANGE = 1.0
"""The smallest range of a front in an objective, in deviations of the targets. A front with a smaller range is treated as if it
had this one, so that the reference point leaves room to extend it."""

USUAL = 0.9
"""In each objective at least this share of the initial sample is better than the reference point. On arylation-yield-cost (four
seeds) 0.9 reached 0.96 and 1.00 of the exact hypervolume after 50 and 100 trials. A quantile of all trials follows the good
values that the search finds: with it, one of two runs stayed at 0.91. 0.75 excludes up to a quarter of RE23's hypervolume."""

REFIT = SECOND_START // 2
"""The hyperparameters are fitted in every REFIT-th trial. Fits in every trial took a third of the time of a suggestion."""

TRIES = 5
"""After this many trials around a point of the front without a larger hypervolume, another point becomes the centre."""


@dataclass(frozen=True, eq=False)
class Objectives(Extension):
    """log EHVI instead of log EI.

    The centre is the point of the front that contributes most to the hypervolume, until TRIES trials around it bring no gain.
    """

    @property
    def region(self) -> int | None:
        """The region whose observations are modelled; None for all."""
        return None if self.this.config.data == "all" else self.this.state.current

    @cached_property
    def models(self) -> tuple[Model, ...] | Breakdown:
        """The model of each objective, or the first breakdown.

        The hyperparameters are fitted in the first trial with a model since the last multiple of REFIT. The others keep those
        that were recorded last.
        """
        this, two_starts = self.this, self.this.number % SECOND_START == 0
        refit = this.number // REFIT > this.state.regions[this.state.current].theta_number // REFIT
        rng = partial(this.rng, Purpose.FIT)
        return fit_objectives(this.domain, this.config, this.state, self.region, rng, two_starts, refit)

    def model(self) -> Model | Breakdown:
        """Return the model of the first objective, or the breakdown of any."""
        return self.models if isinstance(self.models, Breakdown) else self.models[0]

    def lengthscales(self, own: Array) -> Array:
        """Return the geometric mean of the models' lengthscales."""
        if isinstance(self.models, Breakdown):
            return own
        mean: Array = np.exp(np.mean([np.log(model.lengthscales()) for model in self.models], axis=0))
        return mean

    @cached_property
    def complete(self) -> tuple[Points, Array]:
        """The observed points of the region at which every objective is known, and their values."""
        points, values = self.this.state.measured(self.this.domain, self.region)
        values = values[:, : self.this.state.outcomes.objectives]
        known = np.all(np.isfinite(values), axis=1)
        return points[known], values[known]

    def targets(self, points: Points, values: Array, joint: Joint) -> Array:
        """Return the targets of observed points, or their posterior means if the incumbent is a mean: (n, m)."""
        if isinstance(self.models, Breakdown):
            raise TypeError("without models there are no targets")
        if self.this.config.noisy or self.this.config.incumbent == "mean":
            return joint.moments(points)[0].T
        return np.stack([model.targets.apply(values[:, j]) for j, model in enumerate(self.models)], axis=1)

    def reference(self, front: Array) -> Array:
        """Return the reference point in the units of the targets.

        In each objective it is at least as bad as the USUAL quantile of the initial sample. A point that is far better in one
        objective and not unusually bad in the others then extends the front. A reference point computed from a short front
        alone would exclude such points.
        """
        given = self.this.state.outcomes.reference
        if isinstance(self.models, Breakdown):
            raise TypeError("without models there are no targets")
        if given is not None:
            return np.array([float(m.targets.apply(np.array([v]))[0]) for m, v in zip(self.models, given, strict=True)])
        worst, best = reference_point(front, least=LEAST_RANGE), front.min(axis=0)
        sample = self.this.state.measured_sample(design_size(self.this.config, 0))
        for j, model in enumerate(self.models):
            known = sample[np.isfinite(sample[:, j]), j]
            usual = float(np.quantile(model.targets.apply(known if len(known) else self.complete[1][:, j]), USUAL))
            worst[j] = max(worst[j], usual + MARGIN * (usual - best[j]))
        return worst

    def centre(self, best: Points) -> Points:
        """Return the point of the front that contributes most to the hypervolume; TRIES trials without gain put it last."""
        if isinstance(self.models, Breakdown):
            return best
        points, values = self.complete
        allowed = self.this.attainable(points)
        if not allowed.any():
            return best
        points, values = points[allowed], values[allowed]
        y = self.targets(points, values, Joint(tuple(model.posterior for model in self.models)))
        kept = non_dominated(y)
        points, front = points[kept], y[kept]
        shares = contributions(front, self.reference(front))
        tries = self.tries(points)
        return points[int(np.lexsort((-shares, tries // TRIES))[0])]

    def tries(self, points: Points) -> Array:
        """Return how many trials have had each point as their centre since the hypervolume of the region last grew."""
        state = self.this.state
        best = state.regions[state.current].best
        counts: dict[bytes, int] = {}
        for o in reversed(state.observations):
            if best is not None and o.number == best.number:
                break
            if o.source == "acquisition" and o.region == state.current and o.centre is not None:
                key = o.centre.identities()[0]
                counts[key] = counts.get(key, 0) + 1
        return np.array([counts.get(key, 0) for key in points.identities()])

    def merits(self, points: Points, means: Array) -> Array:
        """Return the rank of each observed point: 0 for the front, 1 for the front of the remaining points, and so on."""
        state = self.this.state
        _, values = state.measured(self.this.domain)
        ranks = state.outcomes.merits(values, state.measured_sample(design_size(self.this.config, 0)))
        return self.this.observed_at(points, ranks)

    def choose(self, points: Points, prediction: Prediction) -> tuple[Points, Prediction]:
        """Replace the prediction of the first objective by those of all, and add the hyperparameters of the other models."""
        if prediction.theta is None or isinstance(self.models, Breakdown):
            return points, prediction
        thetas = {j: theta for j, model in enumerate(self.models) if j and (theta := model.recorded()) is not None}
        pairs = [model.predicted_at(points[0]) for model in self.models]
        means, deviations = (tuple(v for v in part if v is not None) or None for part in zip(*pairs, strict=True))
        new = replace(prediction, mean=None, deviation=None, structure=None, means=means, deviations=deviations)
        return points, replace(new, thetas=prediction.thetas | thetas)

    def weigh(self, score: Score) -> Score:
        """Return log EHVI. Pending trials are assumed to have their predicted values, and may be on the front.

        Until a trial has a value in every objective there is no front, and log EI of the first objective is used.
        """
        if isinstance(self.models, Breakdown) or not len(self.complete[0]):
            return score
        pending, (points, values) = self.this.pending, self.complete
        joint = Joint(tuple(kriging_believer(model.posterior, pending) for model in self.models))
        y = np.concatenate([self.targets(points, values, joint), joint.moments(pending)[0].T])
        y = y[self.this.attainable(stack([points, pending]))]
        if not len(y):
            return score
        front = y[non_dominated(y)]
        reference = self.reference(front)
        return Score(joint, HypervolumeImprovement.of(*boxes(front[inside(front, reference)], reference)), score.added)
