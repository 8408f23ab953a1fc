"""The kernel is chosen once, by the domain: Eq. (4) does not become Eq. (1) when d_x = 0, since 1 - λ would remain."""

from __future__ import annotations

from casmopolitan.config import Family
from casmopolitan.core.domain import Domain
from casmopolitan.core.kernels.base import Kernel
from casmopolitan.core.kernels.categorical import CategoricalKernel
from casmopolitan.core.kernels.heat import HeatKernel
from casmopolitan.core.kernels.matern import MaternKernel
from casmopolitan.core.kernels.mixed import MixedKernel
from casmopolitan.core.kernels.onehot import OneHotKernel
from casmopolitan.core.kernels.overlap import OverlapKernel


def kernel_for(domain: Domain, family: Family, *, ard: bool | str, trade_off: float | str) -> Kernel:
    """The kernel of a domain: pure discrete, pure continuous, or mixed; `ard` for all variables, none, or the 'continuous'.

    Mixing by 'orders' takes its shares from the heat kernel's rates: other families have the 'weights' alone.
    """
    separate = ard is True
    if family == "one-hot":
        return OneHotKernel(domain.d_h, domain.d_x, ard)
    if not domain.d_h:
        return MaternKernel(domain.d_x, bool(ard))
    discrete: Kernel
    if family == "overlap":
        discrete = OverlapKernel(domain.d_h)
    elif family == "heat":
        discrete = HeatKernel(domain.d_h, separate, ordinals(domain))
    else:
        discrete = CategoricalKernel(domain.d_h, separate)
    if trade_off == "orders" and family != "heat":
        trade_off = "weights"
    return discrete if not domain.d_x else MixedKernel(discrete, MaternKernel(domain.d_x, bool(ard)), trade_off)


def ordinals(domain: Domain) -> tuple[int, ...]:
    """The ordinal variables; none where not one has more than two values, between which no function has a shape."""
    found = tuple(j for j, positions in enumerate(domain.positions) if positions is not None)
    return found if any(domain.levels[j] > 2 for j in found) else ()
