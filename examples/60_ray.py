"""CASMOPOLITAN in Ray Tune: `OptunaSearch` accepts the sampler. Needs the extra 'ray'.

python examples/60_ray.py [samples]
"""

import sys

import optuna
from ray import tune
from ray.tune.search.optuna import OptunaSearch

import casmopolitan as cas
from casmopolitan.study import CasmopolitanSampler, distributions_of

space = cas.Space({f"switch {i}": cas.Categorical(["off", "on", "auto"]) for i in range(8)} | {"gain": cas.Real(0.0, 1.0)})


def train(setting: dict) -> dict:
    """Return the loss. Stands for training a model on the cluster."""
    return {"loss": sum(value == "off" for value in setting.values()) + (setting["gain"] - 0.3) ** 2}


if __name__ == "__main__":
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    search = OptunaSearch(distributions_of(space), sampler=CasmopolitanSampler(space, seed=0), metric="loss", mode="min")
    settings = tune.TuneConfig(search_alg=search, num_samples=samples, max_concurrent_trials=2)
    results = tune.Tuner(train, tune_config=settings).fit()
    print(f"{len(results)} samples, best {results.get_best_result('loss', 'min').metrics['loss']:.3f}")
