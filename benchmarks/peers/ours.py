"""Our own presets: `default`, `paper`, `paper-ard`, `authors-code`, an ablation's name, or one of these with fields changed.

`default:failure_tolerance=10:kernel="heat"` is DEFAULT with two fields replaced; the values are JSON.
"""

from __future__ import annotations

import json
from dataclasses import replace

import casmopolitan as cas


class Ours:
    def __init__(self, space, initial, seed, config):
        configurations = [configuration for configuration, _ in initial]
        if initial:
            config = replace(config, n_initial=len(initial))  # the shared initial points are the whole design
        self._optimizer = cas.Optimizer(space, seed=seed, config=config, initial=configurations)
        if initial:
            self.ask(len(initial))
            self.tell(configurations, [loss for _, loss in initial])

    def ask(self, count):
        self._pending = self._optimizer.ask(count)
        return [trial.configuration for trial in self._pending]

    def tell(self, configurations, losses):
        for trial, loss in zip(self._pending, losses, strict=True):
            self._optimizer.tell(trial, loss)


def config_named(name):
    base, *changes = name.split(":")
    named = {"default": cas.DEFAULT, "paper": cas.PAPER, "paper-ard": cas.presets.PAPER_ARD, "authors-code": cas.AUTHORS_CODE}
    presets = named | cas.presets.ABLATIONS
    if base not in presets:
        raise SystemExit(f"No method is called {base!r}; our own are {', '.join(presets)}.")
    fields = dict(change.split("=", 1) for change in changes)
    return replace(presets[base], **{field: value_of(text) for field, text in fields.items()})


def value_of(text):
    value = json.loads(text)
    return tuple(value) if isinstance(value, list) else value


def start(space, initial, seed, variant):
    return Ours(space, initial, seed, config_named(variant))
