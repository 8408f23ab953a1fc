"""Runs of benchmark methods, and Branin's function of two of 25 variables, a problem of the papers of REMBO and ALEBO."""

import math

import casmopolitan as cas
from benchmarks.peers.random_search import RandomSearch

SPACE = cas.Space({f"x{i}": cas.Real(-1.0, 1.0) for i in range(25)})


def branin(configuration):
    a, b = 7.5 * configuration["x3"] + 2.5, 7.5 * configuration["x11"] + 7.5
    parabola = b - 5.1 / (4 * math.pi**2) * a * a + 5 / math.pi * a - 6
    return parabola**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(a) + 10


def mean_best(start, space, loss, seeds, evaluations, first=20):
    """Return the mean over the seeds of the best loss, the first random points included; checks every suggestion."""
    best = []
    for seed in seeds:
        initial = [(configuration, loss(configuration)) for configuration in space.sample(first, 100 + seed)]
        method, losses = start(space, initial, seed), [value for _, value in initial]
        for _ in range(evaluations):
            (configuration,) = method.ask(1)
            space.validate(configuration)
            losses.append(loss(configuration))
            method.tell([configuration], losses[-1:])
        best.append(min(losses))
    return sum(best) / len(best)


def random_mean_best(space, loss, seeds, evaluations):
    return mean_best(lambda space, initial, seed: RandomSearch(space, seed), space, loss, seeds, evaluations)
