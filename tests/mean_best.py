"""The mean best loss of a benchmark method over seeds, and that of random search."""

from benchmarks.peers.random_search import RandomSearch


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
