"""Posterior and acquisition function along one continuous variable, all others at the incumbent (Fig. 2 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from casmopolitan.blas import one_thread
from casmopolitan.core.algorithm import acquisition_function, local_model, search_centre
from casmopolitan.core.ask import Ask
from casmopolitan.core.extensions import extensions_for
from casmopolitan.core.gp.model import Model
from casmopolitan.core.points import Array, Mask, Points
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.errors import DataError
from casmopolitan.optimizer import Optimizer
from casmopolitan.space.variables import columns
from casmopolitan.trial import sign_of

STEPS = 401


@dataclass(frozen=True, eq=False)
class AcquisitionSlice:
    """Predictions along a variable, in the user's units and sign, and the acquisition function with its peak."""

    name: str
    log: bool
    values: Array
    mean: Array | None
    """None if the targets are ranks."""
    deviation: Array | None
    acquisition: Array
    box: tuple[float, float]
    """The region's interval of the variable."""
    peak: int
    """Index of the highest acquisition within the box."""
    observed: Array
    """(n, 2): the variable's value and the objective's, for the observations of the current region."""
    same: Mask
    """Whether each observation shares the incumbent's discrete values."""
    weighed: bool
    """Whether the acquisition is weighted by the probability of success."""


def acquisition_slice(optimizer: Optimizer, variable: str | None = None) -> AcquisitionSlice:
    """Return the slice along a continuous variable, by default the first."""
    space, state, domain = optimizer.space, optimizer.state, optimizer.space.domain
    _, in_x = columns(space.variables)
    if not in_x:
        raise DataError("the space has no continuous variable to draw the acquisition function along")
    if variable is not None and variable not in in_x:
        raise DataError(f"{variable!r} is not a continuous variable of the space; those are {', '.join(map(repr, in_x))}")
    points, y = state.seen(domain, state.current)
    if not len(y):
        raise DataError("the current region has no observation yet; tell a few trials first")
    config = optimizer.config
    this = Ask(domain, config, optimizer.seed, state, len(optimizer.trials), extensions_for(config, state.outcomes))
    with one_thread():
        model = local_model(this)
    if not isinstance(model, Model):
        raise DataError(f"there is no model to draw: {model.reason}")
    centre = search_centre(this, model)
    around = Neighbourhood.around(domain, centre, state.lengths, model.lengthscales())
    there = [n for n, active in zip(in_x, domain.active(centre)[0, domain.d_h :], strict=True) if active]
    name = next(iter(there), "") if variable is None else variable
    if name not in there:
        which = "no continuous variable exists" if variable is None else f"{variable!r} does not exist"
        raise DataError(f"{which} at the best point, around which the slice is drawn")
    k = in_x.index(name)
    exists = domain.active(points)[:, domain.d_h + k]

    grid = np.linspace(0.0, 1.0, STEPS)
    x = np.tile(centre.x, (STEPS, 1))
    x[:, k] = grid
    line = Points(np.tile(centre.h, (STEPS, 1)), x)
    sign, axis = sign_of(optimizer.direction), domain.axes[k]
    mean, deviation = model.predict(line)
    score = acquisition_function(this, model.posterior)
    alpha = score(line)
    inside = (grid >= around.low[k]) & (grid <= around.high[k])
    low, high = axis.value(np.array([around.low[k], around.high[k]]))
    return AcquisitionSlice(
        name,
        axis.log,
        axis.value(grid),
        sign * mean if model.targets.invertible else None,
        deviation if model.targets.invertible else None,
        alpha,
        (float(low), float(high)),
        int(np.flatnonzero(inside)[np.argmax(alpha[inside])]),
        np.column_stack([axis.value(points.x[exists, k]), sign * y[exists]]),
        (points.h == centre.h).all(axis=1)[exists],
        score.added is not None,
    )
