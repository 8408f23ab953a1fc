"""The kernel of a domain and a config.

Without continuous variables it is k_h alone: Eq. (4) with d_x = 0 is not Eq. (1), since the constant 1 - λ remains.
"""

from __future__ import annotations

from collections.abc import Callable

from casmopolitan.config import Config, Family
from casmopolitan.core.domain import Domain
from casmopolitan.core.kernels.additive import HeatAndAdditive
from casmopolitan.core.kernels.base import Kernel
from casmopolitan.core.kernels.categorical import CategoricalKernel
from casmopolitan.core.kernels.heat import HeatKernel
from casmopolitan.core.kernels.matern import MaternKernel
from casmopolitan.core.kernels.mixed import MixedKernel
from casmopolitan.core.kernels.onehot import OneHotKernel
from casmopolitan.core.kernels.overlap import OverlapKernel
from casmopolitan.core.kernels.task import TaskKernel

MOST_RATES = 800
"""More discrete variables than this share one rate under `priors='freed'`: one rate each would make a fit slow."""

DISCRETE: dict[Family, Callable[[Domain, bool], Kernel]] = {
    "categorical": lambda domain, ard: CategoricalKernel(domain.d_h, ard),
    "overlap": lambda domain, ard: OverlapKernel(domain.d_h),
    "heat": lambda domain, ard: HeatKernel(domain.d_h, ard, ordinals(domain), tuple(j for j, _ in domain.described)),
}
"""Kernels on h, which are combined with a Matérn kernel on x."""

JOINT: dict[Family, Callable[[Domain, bool | str], Kernel]] = {
    "one-hot": lambda domain, ard: OneHotKernel(domain.d_h, domain.d_x, ard, int(domain.levels.sum())),
}
"""Kernels on h and x together."""


def kernel_for(domain: Domain, family: Family, *, ard: bool | str, trade_off: float | str) -> Kernel:
    """Return the kernel of a domain: discrete, continuous, or mixed.

    `ard` gives one lengthscale per variable to all variables (True), to none (False), or to 'continuous' ones only. Only the
    heat kernel has the additive terms of the trade-off 'orders'; other families use 'weights' instead.
    """
    if family in JOINT:
        return JOINT[family](domain, ard)
    continuous = MaternKernel(domain.d_x, bool(ard))
    if not domain.d_h:
        return continuous
    discrete = DISCRETE[family](domain, ard is True)
    if not domain.d_x:
        return discrete
    if trade_off != "orders":
        return MixedKernel(discrete, continuous, trade_off)
    additive = HeatAndAdditive(discrete) if isinstance(discrete, HeatKernel) else None
    return MixedKernel(discrete, continuous, "weights", additive)


def configured_kernel(domain: Domain, config: Config) -> Kernel:
    """Return the kernel that a config asks for, with one rate for all discrete variables if there are too many of them."""
    tied = config.priors == "freed" and domain.d_h > MOST_RATES
    ard = "continuous" if config.ard is True and tied else config.ard
    return kernel_for(domain, config.kernel, ard=ard, trade_off=config.trade_off)


def across_studies(kernel: Kernel, studies: int) -> Kernel:
    """Return the kernel with one more rate for each earlier study; the kernel itself without earlier studies."""
    return TaskKernel(kernel, studies) if studies else kernel


def ordinals(domain: Domain) -> tuple[int, ...]:
    """Return the ordinal variables; none if all of them have two values, between which smoothness means nothing."""
    found = tuple(j for j, positions in enumerate(domain.positions) if positions is not None)
    return found if any(domain.levels[j] > 2 for j in found) else ()
