"""BoTorch: MixedSingleTaskGP, log EI, `optimize_acqf_mixed_alternating`, all with their default settings."""

from __future__ import annotations

import math

import torch
from botorch.acquisition import LogExpectedImprovement, qLogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import MixedSingleTaskGP, SingleTaskGP
from botorch.optim.optimize_mixed import optimize_acqf_mixed_alternating
from gpytorch.mlls import ExactMarginalLogLikelihood

from benchmarks.axes import axes_of, configuration_of, numbers_of


class BotorchAlternating:
    """Choices keep their index; integers and reals are scaled to [0, 1]. BoTorch maximises: the sign flips here."""

    def __init__(self, space, initial, seed):
        torch.manual_seed(seed)
        self._axes = axes_of(space)
        self._categorical = {i: a.size for i, a in enumerate(self._axes) if a.kind == "choice"}
        self._integer = {i: grid(a) for i, a in enumerate(self._axes) if a.kind == "integer"}
        upper = [a.size - 1.0 if a.kind == "choice" else 1.0 for a in self._axes]
        self._bounds = torch.tensor([[0.0] * len(upper), upper], dtype=torch.double)
        self._x = torch.empty(0, len(upper), dtype=torch.double)
        self._y = torch.empty(0, 1, dtype=torch.double)
        self.tell([configuration for configuration, _ in initial], [loss for _, loss in initial])

    def ask(self, count):
        categorical = list(self._categorical)
        model = MixedSingleTaskGP(self._x, self._y, categorical) if categorical else SingleTaskGP(self._x, self._y)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        expected_improvement = LogExpectedImprovement if count == 1 else qLogExpectedImprovement
        points, _ = optimize_acqf_mixed_alternating(
            expected_improvement(model, best_f=self._y.max()),
            self._bounds,
            cat_dims={i: list(range(size)) for i, size in self._categorical.items()},
            discrete_dims=self._integer,
            q=count,
        )
        return [configuration_of(self._axes, self._numbers(point)) for point in points.tolist()]

    def tell(self, configurations, losses):
        points = [self._coordinates(numbers_of(self._axes, configuration)) for configuration in configurations]
        self._x = torch.cat([self._x, torch.tensor(points, dtype=torch.double)])
        self._y = torch.cat([self._y, -torch.tensor(losses, dtype=torch.double)[:, None]])

    def _coordinates(self, numbers):
        return [unit(axis, numbers[axis.name]) for axis in self._axes]

    def _numbers(self, coordinates):
        return {axis.name: from_unit(axis, c) for axis, c in zip(self._axes, coordinates, strict=True)}


def unit(axis, number):
    if axis.kind == "choice":
        return float(number)
    low, high, number = (scaled(axis, v) for v in (axis.low, axis.high, number))
    return (number - low) / (high - low)


def from_unit(axis, coordinate):
    if axis.kind == "choice":
        return coordinate
    low, high = scaled(axis, axis.low), scaled(axis, axis.high)
    number = low + coordinate * (high - low)
    return math.exp(number) if axis.log else number


def grid(axis):
    return [unit(axis, number) for number in range(int(axis.low), int(axis.high) + 1)]


def scaled(axis, number):
    return math.log(number) if axis.log else float(number)


def start(space, initial, seed, variant):
    return BotorchAlternating(space, initial, seed)
