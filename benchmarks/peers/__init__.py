"""The methods by name. One file per family; each has a function `start(space, initial, seed, variant) -> Method`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import casmopolitan as cas

Configuration = dict[str, Any]
Observed = Sequence[tuple[Configuration, float]]


class Method(Protocol):
    """A minimiser that already knows the initial points."""

    def ask(self, count: int) -> list[Configuration]: ...

    def tell(self, configurations: Sequence[Configuration], losses: Sequence[float]) -> None:
        """Record the losses of the points of the last `ask`, in its order."""


@dataclass(frozen=True)
class Peer:
    module: str
    variant: str
    title: str
    torch: bool = False
    """Whether it needs the second environment (`make bench-env`)."""
    own_start: bool = False
    """Whether it can start without initial points."""


PEERS = {
    "random": Peer("random_search", "", "Random search", own_start=True),
    "optuna-tpe": Peer("optuna_study", "tpe", "Optuna TPE", own_start=True),
    "optuna-tpe-liar": Peer("optuna_study", "tpe-liar", "Optuna TPE, constant liar"),
    "optuna-gp": Peer("optuna_study", "gp", "Optuna GPSampler", torch=True, own_start=True),
    "hyperopt": Peer("hyperopt_tpe", "", "Hyperopt TPE"),
    "smac": Peer("smac_facade", "forest", "SMAC3 (random forest)"),
    "smac-gp": Peer("smac_facade", "gp", "SMAC3 (Gaussian process)"),
    "hebo": Peer("hebo_mace", "", "HEBO", torch=True),
    "botorch": Peer("botorch_alternating", "", "BoTorch mixed alternating", torch=True),
    "ax": Peer("ax_client", "", "Ax", torch=True),
    "cocabo": Peer("cocabo", "", "CoCaBO"),
    "combo": Peer("combo", "", "COMBO"),
    "bocs": Peer("bocs", "", "BOCS"),
    "mvrsm": Peer("mvrsm", "", "MVRSM"),
    "bo": Peer("ours", "Naive", "BO, one-hot", own_start=True),
    "turbo": Peer("turbo", "", "TuRBO, one-hot", own_start=True),
    "rembo": Peer("rembo", "10", "REMBO, 10 dimensions"),
    "alebo": Peer("alebo", "10", "ALEBO, 10 dimensions", own_start=True),
    "released-code": Peer("released_code", "", "The authors' released code", torch=True),
    "true-prior": Peer("true_prior", "", "EI given a cut's true prior"),
}
"""Every other name is one of our own presets: see `ours.py`."""


def peer(name: str) -> Peer:
    return PEERS.get(name) or Peer("ours", name, name, own_start=True)


def load(name: str) -> Callable[[cas.Space, Observed, int], Method]:
    """Import the method's packages and return the function that starts it."""
    chosen = peer(name)
    start = import_module(f"benchmarks.peers.{chosen.module}").start
    return lambda space, initial, seed: start(space, initial, seed, chosen.variant)
