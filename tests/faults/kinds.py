"""Spaces of every kind for workers: for each kind its sampler's arguments, with small budgets in mind."""

from dataclasses import replace

import casmopolitan as cas

QUICK = replace(cas.PAPER, n_initial=5, fit_steps=10, fit_starts=1, search_runs=1, search_steps=20)
USUAL = replace(cas.DEFAULT, n_initial=4, fit_steps=10, candidates=50)

PLAIN = cas.Space({f"c{i}": cas.Categorical(["a", "b", "c"]) for i in range(4)} | {"n": cas.Integer(1, 6)})
CONDITIONAL = cas.Space(
    {
        "model": cas.Categorical(["a", "b"]),
        "kernel": cas.Categorical(["a", "b", "c"], when={"model": "a"}),
        "degree": cas.Integer(1, 6, when={"kernel": "c"}),
        "C": cas.Real(0.1, 10.0, log=True, when={"model": "a"}),
        "n": cas.Integer(1, 60, when={"model": "b"}),
    }
)
DESCRIBED = cas.Space(
    {
        "solvent": cas.Categorical(list("abcdef"), descriptors=[[k, k % 3] for k in range(6)]),
        "n": cas.Integer(1, 6),
    }
)
RULED = cas.Space(
    {"a": cas.Real(0.0, 1.0, step=0.05), "b": cas.Real(0.01, 1.0, log=True, digits=2), "c": cas.Categorical(["a", "b"])},
    constraint=["a + b <= 1", cas.Forbid({"c": "b", "a": {"from": 0.5}})],
)
LISTED = cas.Space.of(
    [{"c": "abc"[k % 3], "n": k % 7, "d": "a"} for k in range(21)]
    + [{"c": "a", "n": k, "d": "b", "m": k + 1} for k in range(7)],
    variables={"m": cas.Integer(1, 7, when={"d": "b"})},
)


def value(configuration):
    """The objective of all kinds: smallest at "a" and small numbers."""
    return sum("abcdef".index(v) if isinstance(v, str) else v / 6 for v in configuration.values())


PAST = {"earlier": [(c, value(c) + 1.0) for c in PLAIN.sample(12, 1)]}

KINDS = {
    "plain": {"search_space": PLAIN, "config": QUICK},
    "conditional": {"search_space": CONDITIONAL, "config": USUAL},
    "described": {"search_space": DESCRIBED, "config": USUAL},
    "ruled": {"search_space": RULED, "config": USUAL},
    "listed": {"search_space": LISTED, "config": USUAL},
    "past": {"search_space": PLAIN, "config": USUAL, "past": PAST},
}
