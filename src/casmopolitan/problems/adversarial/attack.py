"""The sparse black-box attack (App. C.2): change a few pixels of an image until a classifier predicts a target class."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from casmopolitan.errors import DataError
from casmopolitan.problems.adversarial.resize import KINDS, enlarge
from casmopolitan.problems.problem import Array, Configuration, Function, Problem, vector
from casmopolitan.space import Categorical, Real, Space, Variable

Victim = Callable[[Array], ArrayLike]
"""A classifier: an image (height, width, channels) in [−0.5, 0.5] -> the probabilities of its classes."""

SUCCESS = -1.0
"""The value of a successful attack; unsuccessful ones are never below 0."""
FLOOR = 1e-12
"""The smallest probability, so that logarithms stay finite."""
SOURCE = "Wan et al. 2021, App. C.2; Ru et al. 2020 (BayesOpt attack)"


@dataclass(frozen=True, eq=False)
class Attack:
    """One image, one classifier, one target class; `label` is the true class if the loss uses it, otherwise None."""

    image: Array
    victim: Victim
    target: int
    latent: int
    epsilon: float
    label: int | None = None

    def perturbed_image(self, configuration: Configuration) -> Array:
        """Return (image + enlarged δ) / (1 + 2 epsilon), where δ has one changed pixel per row and channel."""
        height, width, channels = self.image.shape
        columns, changes = variable_names(self.latent, channels)
        at = np.array([configuration[name] for name in columns])
        delta = np.zeros((channels, self.latent, self.latent))
        delta.reshape(-1, self.latent)[np.arange(len(at)), at] = self.epsilon * vector(configuration, changes)
        change = enlarge(delta.transpose(1, 2, 0), height, width, configuration["upsampling"])
        return (self.image + change) / (1 + 2 * self.epsilon)

    def __call__(self, configuration: Configuration) -> float:
        """Return the loss: log Σ_{j≠t} p_j − log p_t, −1 once t wins; or log p_c − log p_t."""
        p = np.maximum(np.asarray(self.victim(self.perturbed_image(configuration)), dtype=np.float64), FLOOR)
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
    """Return the problem of making a classifier predict class `target` for an image.

    In a latent image of latent × latent pixels, one pixel per row and channel is changed. A categorical variable chooses its
    column, and the change is epsilon times a real in [−1, 1]. One more categorical variable chooses how
    the latent image is enlarged. With latent = 14 and three channels these are the paper's 85 variables.

    The loss is that of the authors' code, log Σ_{j≠t} p_j − log p_t, and −1 once class t wins. If the true class is given as
    `label`, it is that of App. C.2 with the sign flipped, log p_c − log p_t, which is a success below 0. In both cases
    `problem.solved(value)` tells whether the attack succeeded.

    Args:
        image: The image (height, width, channels) with values in [−0.5, 0.5].
        victim: A function from an image to the probabilities of its classes.
        target: The class that the classifier shall predict.
        latent: The side of the latent image.
        epsilon: The largest change of a pixel.
        label: The true class, for the loss of App. C.2.
        name: The name of the problem.

    Returns:
        The problem.

    Raises:
        DataError: If the image has the wrong shape or values outside [−0.5, 0.5].
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
    """Return the problem of an attack, whose function may prepare it on first use."""
    return Problem(name=name, space=space, function=function, source=SOURCE, goal=goal)


def variable_names(latent: int, channels: int) -> tuple[list[str], list[str]]:
    """Return the names of the columns and of the changes, channel by channel, and row by row within a channel."""
    places = [f"{channel}_{row}" for channel in range(channels) for row in range(latent)]
    return [f"column_{place}" for place in places], [f"change_{place}" for place in places]


def attack_space(latent: int, channels: int) -> Space:
    """Return the space: latent · channels columns, the kind of enlargement, latent · channels changes."""
    columns, changes = variable_names(latent, channels)
    variables: dict[str, Variable] = {name: Categorical(list(range(latent))) for name in columns}
    variables["upsampling"] = Categorical(list(KINDS))
    return Space({**variables, **{name: Real(-1, 1) for name in changes}})
