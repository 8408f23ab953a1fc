"""BoTorch: a model per outcome, qLogNEHVI (one objective: qLogNEI), `optimize_acqf_mixed_alternating`, default settings."""

from __future__ import annotations

import torch
from botorch.acquisition.logei import qLogNoisyExpectedImprovement
from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
from botorch.acquisition.multi_objective.objective import IdentityMCMultiOutputObjective
from botorch.acquisition.objective import GenericMCObjective
from botorch.fit import fit_gpytorch_mll
from botorch.models import MixedSingleTaskGP, ModelListGP, SingleTaskGP
from botorch.optim.optimize_mixed import optimize_acqf_mixed_alternating
from botorch.utils.multi_objective.hypervolume import infer_reference_point
from botorch.utils.multi_objective.pareto import is_non_dominated
from gpytorch.mlls import SumMarginalLogLikelihood

from benchmarks.axes import axes_of, configuration_of, numbers_of
from benchmarks.outcomes.problem import OutcomeProblem, Row, excess
from benchmarks.peers.botorch_alternating import from_unit, grid, unit


class BotorchNoisy:
    """Outcomes are the objectives, signed to be maximised, then the excess over each limit. Failed trials are not told."""

    def __init__(self, problem: OutcomeProblem, seed: int):
        torch.manual_seed(seed)
        self._problem, self._axes = problem, axes_of(problem.space)
        self._categorical = {i: list(range(a.size)) for i, a in enumerate(self._axes) if a.kind == "choice"}
        self._integer = {i: grid(a) for i, a in enumerate(self._axes) if a.kind == "integer"}
        upper = [a.size - 1.0 if a.kind == "choice" else 1.0 for a in self._axes]
        self._bounds = torch.tensor([[0.0] * len(upper), upper], dtype=torch.double)
        self._x = torch.empty(0, len(upper), dtype=torch.double)
        self._y = torch.empty(0, len(problem.objectives) + len(problem.limits), dtype=torch.double)

    def tell(self, configuration: dict, row: Row | None) -> None:
        if row is None:
            return
        numbers, problem = numbers_of(self._axes, configuration), self._problem
        point = [unit(axis, numbers[axis.name]) for axis in self._axes]
        values = [-sign * row[name] for sign, name in zip(problem.signs, problem.objectives, strict=True)]
        values += [excess(row[name], limit) for name, limit in problem.limits.items()]
        self._x = torch.cat([self._x, torch.tensor([point], dtype=torch.double)])
        self._y = torch.cat([self._y, torch.tensor([values], dtype=torch.double)])

    def ask(self) -> dict:
        point, _ = optimize_acqf_mixed_alternating(
            self._acquisition(), self._bounds, cat_dims=self._categorical, discrete_dims=self._integer
        )
        numbers = {a.name: from_unit(a, c) for a, c in zip(self._axes, point[0].tolist(), strict=True)}
        return configuration_of(self._axes, numbers)

    def _acquisition(self):
        count, model = len(self._problem.objectives), self._model()
        limits = [lambda y, k=k: y[..., k] for k in range(count, self._y.shape[-1])] or None
        if count == 1:
            objective = GenericMCObjective(lambda y, X=None: y[..., 0])
            return qLogNoisyExpectedImprovement(model, self._x, objective=objective, constraints=limits)
        y = self._y[(self._y[:, count:] <= 0).all(dim=1), :count]
        reference = infer_reference_point(y[is_non_dominated(y)])
        objective = IdentityMCMultiOutputObjective(list(range(count)))
        return qLogNoisyExpectedHypervolumeImprovement(
            model, reference, self._x, objective=objective, constraints=limits, prune_baseline=True
        )

    def _model(self) -> ModelListGP:
        columns = self._y.split(1, dim=1)
        categorical = list(self._categorical)
        models = [MixedSingleTaskGP(self._x, y, categorical) if categorical else SingleTaskGP(self._x, y) for y in columns]
        model = ModelListGP(*models)
        fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
        return model
