"""BoTorch's MixedSingleTaskGP on the data in FOLDER, one JSON line per figure; `benchmarks.gp` starts it with torch.

python benchmarks/gp_botorch.py FOLDER
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path

import botorch
import numpy as np
import torch
from botorch.fit import fit_gpytorch_mll
from botorch.models import MixedSingleTaskGP
from gpytorch.mlls import ExactMarginalLogLikelihood

FIT_LIMIT_S = 20.0
"""A fit is stopped here; its time is then a lower bound."""

RULES = {"fit": {}, "fit, our stopping rule": {"options": {"maxiter": 100, "maxfun": 200, "ftol": 1e-7, "gtol": 1e-3}}}
"""BoTorch's own stopping rule, and the one of `fit_lbfgs`, so that speed per step and number of steps are told apart."""


class Counted(ExactMarginalLogLikelihood):
    """The marginal likelihood, counting its evaluations."""

    evaluations = 0

    def forward(self, *args: object, **kwargs: object) -> torch.Tensor:
        self.evaluations += 1
        return super().forward(*args, **kwargs)


def model_of(archive: dict[str, np.ndarray]) -> Counted:
    h, x = torch.as_tensor(archive["h"], dtype=torch.double), torch.as_tensor(archive["x"])
    y = torch.as_tensor(archive["y"])[:, None]
    model = MixedSingleTaskGP(torch.cat([h, x], dim=1), y, cat_dims=list(range(h.shape[1])))
    return Counted(model.likelihood, model)


def likelihood_seconds(mll: Counted, repeats: int = 12) -> float:
    model, best = mll.model, float("inf")
    mll.train()
    for _ in range(repeats):
        start = time.perf_counter()
        mll.zero_grad()
        (-mll(model(*model.train_inputs), model.train_targets)).backward()
        best = min(best, time.perf_counter() - start)
    return best


def main(folder: Path) -> None:
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    place = {"space": "50 binary + 3 real", "model": "BoTorch", "torch": torch.__version__, "botorch": botorch.__version__}
    for path in sorted(folder.glob("*.npz"), key=lambda path: int(path.stem)):
        archive = dict(np.load(path))
        n = int(path.stem)
        print(json.dumps({"what": "likelihood", **place, "n": n, "seconds": likelihood_seconds(model_of(archive))}), flush=True)
        for what, rule in RULES.items():
            mll, start = model_of(archive), time.perf_counter()
            fit_gpytorch_mll(mll, optimizer_kwargs={"timeout_sec": FIT_LIMIT_S, **rule}, max_attempts=1)
            spent = time.perf_counter() - start
            record = {"what": what, **place, "n": n, "seconds": spent, "evaluations": mll.evaluations}
            print(json.dumps(record | {"cut": spent >= FIT_LIMIT_S}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
