"""Scripts that change: the distribution in which a parameter is modelled, and the trials that no longer fit.

The distribution is that of the latest trial that has the parameter: the range or the choices in the script were changed. But if
they change back and forth, each trial decides them, and no single distribution describes the parameter.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence

from optuna.distributions import BaseDistribution
from optuna.trial import FrozenTrial

from casmopolitan.formatting import counted
from casmopolitan.study.sampler.branches import LATEST, has_few_values
from casmopolitan.study.sampler.replay import point_of
from casmopolitan.study.sampler.search_space import Translation


def distribution_of(name: str, trials: Sequence[FrozenTrial]) -> BaseDistribution | str:
    """Return the distribution in which a parameter of these trials is modelled; if there is none, the reason and a fix.

    The latest distribution counts if the parameter changed only once, or at most once in its latest trials, unless the values
    of another parameter explain which distribution a trial has.
    """
    own = sorted((trial for trial in trials if name in trial.distributions), key=lambda trial: trial.number)
    found = [trial.distributions[name] for trial in own]
    changes = [k for k in range(1, len(own)) if found[k] != found[k - 1]]
    if len(changes) < 2:
        return found[-1]
    parent = _explains(name, own)
    if parent is not None:
        return f"its range or choices depend on {parent!r}; give it a name of its own for each value of {parent!r}"
    if sum(k > len(own) - LATEST for k in changes) < 2:
        return found[-1]
    return "its range or choices differ from trial to trial; suggest it with one range, and cut the value in the objective"


def _explains(name: str, own: Sequence[FrozenTrial]) -> str | None:
    """Return a parameter with few values, none of which belongs to two distributions of another parameter."""
    last = own[-1].distributions[name]
    for parent in own[-1].params:
        if parent == name or not has_few_values(own[-1].distributions[parent]):
            continue
        now = {repr(one.params.get(parent)) for one in own if one.distributions[name] == last}
        before = {repr(one.params.get(parent)) for one in own if one.distributions[name] != last}
        if now.isdisjoint(before):
            return parent
    return None


def left_out(trials: Iterable[FrozenTrial], translation: Translation, added: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield a message, and its level, on the trials that the model cannot use. `added` are parameters that were added later."""
    misfits = [trial for trial in trials if point_of(trial, trial.params, translation) is None]
    for name in added:
        before = [trial for trial in misfits if name not in trial.params]
        fix = f"if it had the same value in all of them, pass that value: CasmopolitanSampler(defaults={{{name!r}: ...}})"
        if name in translation.defaults:
            fix = f"their default {translation.defaults[name]!r} is not one of its values, or another value does not fit"
        if before:
            yield (
                f"parameter {name!r} was added: {counted(len(before), 'trial')} without it cannot be modelled; {fix}",
                logging.WARNING,
            )
    others = [trial for trial in misfits if all(name in trial.params for name in added)]
    if others:
        yield (
            f"{counted(len(others), 'trial')} outside the present ranges and choices cannot be modelled",
            logging.INFO,
        )
