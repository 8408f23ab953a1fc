"""Ready-made settings: the paper, the authors' code, the ablations of Sec. 4.4, and the default."""

from __future__ import annotations

from dataclasses import replace

from casmopolitan.config import Config

PAPER = Config()
"""The settings of the paper (Wan et al., 2021): every default of `Config`."""

PAPER_ARD = replace(PAPER, ard=True)
"""The paper with one lengthscale per discrete variable too, the other reading of Sec. 3.1 (`docs/paper.md`, row 3)."""

AUTHORS_CODE = replace(
    PAPER,
    ard=False,
    lengthscale_bounds=(0.01, 2.5),
    noise_bounds=(1e-6, 0.1),
    targets="copula",
    fit_starts=1,
    fit_steps=300,
    fit_rate=0.03,
    success_tolerance=3,
    success_margin=1e-3,
    minimum_radius=1,
    acquisition="augmented-ei",
    incumbent="mean",
    search_steps=200,
)
"""The settings of the authors' released code. `docs/paper.md` lists its defects, which are not reproduced."""

ABLATIONS = {
    "Naive": replace(PAPER, trust_region=False, kernel="one-hot"),
    "TR": replace(PAPER, kernel="one-hot"),
    "Overlap": replace(PAPER, trust_region=False, kernel="overlap"),
    "CatKer": replace(PAPER, trust_region=False),
    "CatKer+TR": PAPER,
}
"""Sec. 4.4, by name: one-hot without trust regions; one-hot with them; the overlap kernel; Eq. (1) or (4) without trust
regions; the paper. The one-hot kernel has bounds of its own for the lengthscales."""

DEFAULT = replace(
    PAPER,
    n_initial=10,
    design="balanced",
    kernel="heat",
    ard=True,
    trade_off="orders",
    priors="freed",
    rate_level=None,
    targets="robust",
    mean="bowl",
    fit="lbfgs",
    capacity=500,
    global_every=4,
    sparse_every=4,
    failure_tolerance=20,
    exhausted_by="both",
    acquisition="log-ei",
    incumbent="mean",
    failures="learnt",
    apart=0.01,
    search="steepest",
    restart_initial=10,
)
"""The default settings. `docs/decisions.md` gives the measurement behind each departure from the paper."""
