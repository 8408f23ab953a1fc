"""Several goals: a small error and a short latency, within a limit on memory.

python examples/25_several_goals.py [budget]
"""

import sys

import casmopolitan as cas

space = cas.Space(
    {
        "model": cas.Categorical(["tree", "forest", "network"]),
        "precision": cas.Ordinal([4, 8, 16, 32]),
        "layers": cas.Integer(1, 12),
        "dropout": cas.Real(0.0, 0.5),
    }
)


def train(configuration: dict) -> dict:
    """Return error, latency in ms and memory in MB. Stands for a training run."""
    size = {"tree": 1.0, "forest": 3.0, "network": 6.0}[configuration["model"]] * configuration["layers"]
    bits = configuration["precision"]
    error = 0.05 + 0.4 / (1 + size) + 0.1 / bits + (configuration["dropout"] - 0.2) ** 2
    return {"error": error, "latency": 0.5 * size * bits**0.5, "memory": 1.5 * size * bits}


def main(budget: int = 40) -> None:
    objectives = {"error": "minimize", "latency": "minimize"}
    result = cas.optimize(train, space, budget, objectives=objectives, limits={"memory": "<= 512"}, seed=0)
    print(result)

    fastest = min(result.pareto_front, key=lambda trial: trial.outcomes["latency"])
    print(f"\nthe fastest on the front, trial {fastest.number}: {fastest.configuration}")

    limits = {"memory": "<= 512", "latency": "<= 20"}
    limited = cas.optimize(train, space, budget, objectives={"error": "minimize"}, limits=limits, seed=0)
    print(f"the smallest error within 512 MB and 20 ms: {limited.best_value:.3f} with {limited.best_configuration}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
