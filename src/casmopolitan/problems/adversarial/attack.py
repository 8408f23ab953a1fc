"""The sparse black-box attack (App. C.2): change a few pixels of an image until a classifier sees the class you want."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from casmopolitan.errors import DataError
from casmopolitan.problems.adversarial.resize import KINDS, enlarged
from casmopolitan.problems.problem import Array, Configuration, Function, Problem, vector
from casmopolitan.space import Categorical, Real, Space, Variable

Victim = Callable[[Array], ArrayLike]
"""A classifier: an image (height, width, channels) in [−0.5, 0.5] -> the probabilities of its classes."""

SUCCESS = -1.0
"""The value of a successful attack; failures are never below 0."""
FLOOR = 1e-12
"""Probabilities are taken as at least this, so that logarithms stay finite."""
SOURCE = "Wan et al. 2021, App. C.2; Ru et al. 2020 (BayesOpt attack)"


@dataclass(frozen=True, eq=False)
class Attack:
    """One image, one victim, one target class; `label` is the true class where the loss compares with it, else None."""

    image: Array
    victim: Victim
    target: int
    latent: int
    epsilon: float
    label: int | None = None

    def shown(self, configuration: Configuration) -> Array:
        """What the victim sees: (image + enlarged δ) / (1 + 2 epsilon), δ with one changed pixel a row and channel."""
        height, width, channels = self.image.shape
        columns, changes = variable_names(self.latent, channels)
        at = np.array([configuration[name] for name in columns])
        delta = np.zeros((channels, self.latent, self.latent))
        delta.reshape(-1, self.latent)[np.arange(len(at)), at] = self.epsilon * vector(configuration, changes)
        change = enlarged(delta.transpose(1, 2, 0), height, width, configuration["upsampling"])
        return (self.image + change) / (1 + 2 * self.epsilon)

    def __call__(self, configuration: Configuration) -> float:
        """The loss: log Σ_{j≠t} p_j − log p_t, −1 once t wins; or log p_c − log p_t."""
        p = np.maximum(np.asarray(self.victim(self.shown(configuration)), dtype=np.float64), FLOOR)
        if self.label is not None:
            return float(np.log(p[self.label]) - np.log(p[self.target]))
        if np.argmax(p) == self.target:
            return SUCCESS
        return float(np.log(np.delete(p, self.target).sum()) - np.log(p[self.target]))


def attack(
    image: ArrayLike,
    victim: Victim,
    target: int,
    *,
    latent: int = 14,
    epsilon: float = 0.3,
    label: int | None = None,
    name: str | None = None,
) -> Problem:
    """Make the victim see class `target` in the image (height, width, channels), whose values lie in [−0.5, 0.5].

    In a latent image of latent × latent pixels one pixel a row and channel is changed, by at most epsilon: a categorical
    chooses its column, a real in [−1, 1] times epsilon is the change. One more categorical chooses how the latent image
    is enlarged. With latent = 14 and three channels these are the paper's 85 variables.

    The loss is the authors' code's, log Σ_{j≠t} p_j − log p_t and −1 once class t wins; or, when the true class is given as
    `label`, App. C.2's with the sign flipped, log p_c − log p_t, which the paper calls a success below 0. In either case
    `problem.solved(value)` says whether to stop.
    """
    pixels = np.array(image, dtype=np.float64)
    if pixels.ndim != 3 or not pixels.size or not np.abs(pixels).max() <= 0.5:
        raise DataError(
            f"The image has the shape {pixels.shape}, or values outside [−0.5, 0.5]; an attack takes an array "
            "(height, width, channels) of values in [−0.5, 0.5]"
        )
    return attack_problem(
        name or f"attack-{target}",
        Attack(pixels, victim, target, latent, epsilon, label),
        attack_space(latent, pixels.shape[2]),
        goal=SUCCESS if label is None else math.nextafter(0.0, -1.0),
    )


def attack_problem(name: str, function: Function, space: Space, goal: float = SUCCESS) -> Problem:
    """The problem of an attack that may still have to be prepared."""
    return Problem(name=name, space=space, function=function, source=SOURCE, goal=goal)


def variable_names(latent: int, channels: int) -> tuple[list[str], list[str]]:
    """The names of the columns and of the changes, channel by channel and row by row within a channel."""
    places = [f"{channel}_{row}" for channel in range(channels) for row in range(latent)]
    return [f"column_{place}" for place in places], [f"change_{place}" for place in places]


def attack_space(latent: int, channels: int) -> Space:
    """latent · channels columns, the kind of enlargement, latent · channels changes."""
    columns, changes = variable_names(latent, channels)
    variables: dict[str, Variable] = {name: Categorical(list(range(latent))) for name in columns}
    variables["upsampling"] = Categorical(list(KINDS))
    return Space({**variables, **{name: Real(-1, 1) for name in changes}})
