"""What people write, for mypy alone: every line must be fine with --strict, and misspelt names must not. Nothing runs it."""

from __future__ import annotations

from typing import Any

import casmopolitan as cas
from casmopolitan import study

space = cas.Space(
    {
        "solvent": cas.Categorical(["water", "ethanol"]),
        "layers": cas.Integer(1, 8),
        "dose": cas.Ordinal([1, 2, 4]),
        "temperature": cas.Real(20, 120),
    },
    constraint=[cas.Forbid({"solvent": "water", "dose": 4}), lambda c: c["layers"] < 8],
)
pairs = cas.Space([("solvent", cas.Categorical(["water", "ethanol"])), ("temperature", cas.Real(20, 120))])
again = cas.Space({name: space[name] for name in space})


def objective(configuration: dict[str, Any]) -> float:
    return float(configuration["temperature"])


result = cas.minimize(objective, space, 20, seed=0, config=cas.PAPER, callbacks=[lambda _, trial: trial.number > 9])
best: float = result.best_value

optimizer = cas.Optimizer(space, seed=0, direction="maximize", initial=[result.best_configuration])
trial = optimizer.ask()
optimizer.tell(trial, objective(trial.configuration))
optimizer.tell(optimizer.ask(8)[0], cas.FAILED)


def measure(configuration: dict[str, Any]) -> dict[str, float]:
    return {"error": 0.1, "latency": 20.0, "memory": 400.0}


several = cas.optimize(measure, space, 20, objectives={"error": "minimize", "latency": "minimize"}, limits={"memory": "<= 512"})
front: tuple[cas.Trial, ...] = several.pareto_front
limited = cas.Optimizer(space, objectives={"error": "minimize"}, limits={"memory": "<= 512"})
limited.tell(limited.ask(), {"error": 0.1, "memory": None})

_ = cas.minimise  # type: ignore[attr-defined]
cas.Categorial(["a"])  # type: ignore[attr-defined]
_ = cas.study.open_studdy  # type: ignore[attr-defined]
_ = study.sugest  # type: ignore[attr-defined]
version: str = cas.__version__
