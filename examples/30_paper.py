"""The paper's pest-control problem with the paper's settings: 25 stages, five choices each.

python examples/30_paper.py [evaluations]
"""

import sys

import casmopolitan as cas


def main(budget: int = 100) -> None:
    problem = cas.problems.get("pest-25")
    result = cas.minimize(problem, problem.space, budget, seed=0, config=cas.PAPER, progress=True)
    for count in sorted({20, 50, 100, 200, budget}):
        if count <= budget:
            best = min(trial.value for trial in result.trials[:count])
            print(f"best after {count:>4} evaluations: {best:.4f}")
    print(f"best known: {problem.optimum.value:.4f}")
    print(f"{result.seconds / budget:.2f} s per evaluation, nearly all of it for the model")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
