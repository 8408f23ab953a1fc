"""Measure the cost of the study layer over the bare core, and how asking slows down as a study grows.

python -m benchmarks.overhead            the layer at 300 trials of 50 parameters; asks at 100, 500, 1000, 2000 trials
python -m benchmarks.overhead 300 20     at 300 trials only, over 20 trials
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import optuna

import casmopolitan as cas
from casmopolitan.study import CasmopolitanSampler, distributions_of

SPACE = cas.Space({f"c{i:02d}": cas.Categorical(["a", "b", "c", "d"]) for i in range(50)})
SIZES = (100, 500, 1000, 2000)


def value(configuration: dict[str, Any]) -> float:
    return float(sum((i % 7) * (v == "a") for i, v in enumerate(configuration.values())))


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return seconds of processor time, which other programs on the machine do not affect."""
    started = time.process_time()
    answer = call()
    return time.process_time() - started, answer


def in_lockstep(trials: int, more: int, config: cas.Config) -> Iterator[tuple[float, float, float]]:
    """Return the seconds of `more` asks after `trials` trials: bare optimiser, the same in a study, Optuna's own share.

    The two make the same suggestions, which is checked.
    """
    space = distributions_of(SPACE)
    bare = cas.Optimizer(SPACE, seed=0, config=config)
    study = optuna.create_study(sampler=CasmopolitanSampler(SPACE, seed=0, config=config))
    plain = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    for number in range(trials + more):
        core, asked = timed(bare.ask)
        layered, trial = timed(lambda: study.ask(space))
        own, other = timed(lambda: plain.ask(space))
        assert trial.params == asked.configuration, f"trial {number} differs between the study and the bare optimiser"
        bare.tell(asked, value(asked.configuration))
        study.tell(trial, value(trial.params))
        plain.tell(other, value(other.params))
        if number >= trials:
            yield core, layered, own


def report(trials: int, more: int) -> str:
    """Print one line: asks that fit a model of all trials, and the layer's share if asks are random and therefore cheap."""
    modelled = list(in_lockstep(trials, more, replace(cas.DEFAULT, n_initial=trials - 1)))
    random = list(in_lockstep(trials, 5 * more, replace(cas.DEFAULT, n_initial=10 * trials)))
    core, layered, own = (1000 * statistics.median(column) for column in zip(*modelled, strict=True))
    extra, bare_extra = (
        1000 * statistics.median(layered - core - own for core, layered, own in rows) for rows in (modelled, random)
    )
    return f"{trials:>6}  {core:>12.1f}  {layered:>12.1f}  {own:>12.1f}  {extra:>12.1f}  {bare_extra:>21.1f}"


def main(arguments: list[str]) -> None:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    print("ask in ms of processor time, 50 categorical parameters, storage in memory (medians)")
    print("trials     bare core       a study  Optuna alone     the layer  the layer, cheap asks", flush=True)
    sizes = [int(arguments[0])] if arguments else [300, *SIZES]
    more = int(arguments[1]) if len(arguments) > 1 else 10
    for trials in sizes:
        print(report(trials, more), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
