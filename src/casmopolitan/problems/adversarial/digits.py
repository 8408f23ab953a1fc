"""The sparse attack at reduced size, on a small network for scikit-learn's 8 × 8 digits (extra `bench`).

Image i of the fifty is a digit of class i mod 10 that the network classifies correctly. With nine wrong targets each, there
are 450 instances, as in the paper.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from casmopolitan.errors import DataError, MissingExtraError
from casmopolitan.problems.adversarial.attack import Attack, attack_problem, attack_space
from casmopolitan.problems.problem import Array, Configuration, Problem

IMAGES = 50
CLASSES = 10
TRAINING = 1000
"""How many images the network is trained on; the attacked ones are among the others."""
LATENT = 6
EPSILON = 0.8
"""Larger than the paper's 0.3, since a few coarse pixels have little effect: random search succeeds on about one instance in
seven within 250 queries, hill climbing on most."""


@dataclass(frozen=True, eq=False)
class Network:
    """softmax(W₂ relu(W₁ x + b₁) + b₂), the pixels in a row as x."""

    weights: tuple[Array, ...]
    biases: tuple[Array, ...]

    def __call__(self, image: Array) -> Array:
        """Return the probabilities of the ten classes."""
        hidden = np.maximum(image.ravel() @ self.weights[0] + self.biases[0], 0)
        logits = hidden @ self.weights[1] + self.biases[1]
        odds = np.exp(logits - logits.max())
        p: Array = odds / odds.sum()
        return p


@cache
def network_and_images() -> tuple[Network, tuple[Array, ...]]:
    """Return the network, trained once per process, and the fifty images."""
    try:
        from sklearn.datasets import load_digits
        from sklearn.neural_network import MLPClassifier
    except ImportError as error:
        raise MissingExtraError("attack-digits", "scikit-learn", "bench") from error
    X, y = load_digits(return_X_y=True)
    X = X / 16 - 0.5
    classifier = MLPClassifier((32,), max_iter=100, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # stopping before convergence is intended
        classifier.fit(X[:TRAINING], y[:TRAINING])
    victim = Network(tuple(classifier.coefs_), tuple(classifier.intercepts_))
    images = [image.reshape(8, 8, 1) for image in X[TRAINING:]]
    right = [(image, label) for image, label in zip(images, y[TRAINING:], strict=True) if victim(image).argmax() == label]
    of_class = [[image for image, label in right if label == c] for c in range(CLASSES)]
    return victim, tuple(of_class[i % CLASSES][i // CLASSES] for i in range(IMAGES))


def attack_digits(image: int | None = None, target: int | None = None) -> Problem:
    """Return the attack on image 0 to 49 with a target class, by default the next one; without either, on a 3 with target 8."""
    name = "attack-digits" if image is None else None
    image, target = (3, 8) if image is None else (image, target)
    label = image % CLASSES
    target = (label + 1) % CLASSES if target is None else target
    if not 0 <= image < IMAGES or not 0 <= target < CLASSES or target == label:
        raise DataError(
            f"attack-digits-{image}-{target}: images are 0 to {IMAGES - 1}, targets 0 to {CLASSES - 1} other than the "
            f"image's own class, which is its number modulo 10"
        )
    value = partial(_value, image=image, target=target)
    return attack_problem(name or f"attack-digits-{image}-{target}", value, attack_space(LATENT, 1))


def instances() -> list[str]:
    """Return the names of all 450 attacks.

    Returns:
        Names that `get` takes.
    """
    return [f"attack-digits-{i}-{t}" for i in range(IMAGES) for t in range(CLASSES) if t != i % CLASSES]


def attacked_image(name: str, configuration: Configuration | None = None) -> Array:
    """Return the image of an attack, as it is or as a configuration changes it.

    Args:
        name: A name of `instances`.
        configuration: A configuration of the attack's space; None for the original image.

    Returns:
        The image (8, 8, 1); the original has values in [−0.5, 0.5].
    """
    image, target = (int(part) for part in name.split("-")[-2:])
    victim, images = network_and_images()
    if configuration is None:
        return images[image]
    return Attack(images[image], victim, target, LATENT, EPSILON).perturbed_image(configuration)


def _value(configuration: Configuration, image: int, target: int) -> float:
    """Return the loss of the attack."""
    victim, images = network_and_images()
    return Attack(images[image], victim, target, LATENT, EPSILON)(configuration)
