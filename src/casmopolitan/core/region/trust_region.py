"""Algorithm 1, lines 6 and 13: the lengths of a region, its counters, and how they change."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from casmopolitan.config import Config
from casmopolitan.core.domain import Domain

Change = Literal["held", "grew", "shrank"]


@dataclass(frozen=True)
class TrustRegion:
    """L^h and L^x, and the successes and failures in a row since they last changed.

    A length is None if it confines nothing: its variables are absent, or there are no trust regions.
    """

    radius: int | None
    length: float | None
    successes: int = 0
    failures: int = 0


def initial(domain: Domain, config: Config) -> TrustRegion:
    """Line 6: return L^h = L_0^h and L^x = L_0^x; without trust regions, no lengths."""
    if not config.trust_region:
        return TrustRegion(None, None)
    radius = math.ceil(0.8 * domain.d_h) if config.initial_radius is None else min(config.initial_radius, domain.d_h)
    return TrustRegion(radius if domain.d_h else None, config.initial_length if domain.d_x else None)


def updated(region: TrustRegion, improved: bool, config: Config, *, d_h: int) -> tuple[TrustRegion, Change]:
    """Line 13: return the region after one more observation, and how it changed."""
    if not config.trust_region:
        return region, "held"
    successes = region.successes + 1 if improved else 0
    failures = 0 if improved else region.failures + 1
    if successes >= config.success_tolerance:
        return grown(region, config, d_h), "grew"
    if failures >= config.failure_tolerance:
        return shrunk(region, config), "shrank"
    return replace(region, successes=successes, failures=failures), "held"


def grown(region: TrustRegion, config: Config, d_h: int) -> TrustRegion:
    """Return the region α_e times as large, by at least one step and up to L_max; the counters are reset."""
    radius, length = region.radius, region.length
    return TrustRegion(
        None if radius is None else min(max(radius + 1, math.floor(config.factor * radius)), d_h),
        None if length is None else min(config.factor * length, config.maximum_length),
    )


def shrunk(region: TrustRegion, config: Config) -> TrustRegion:
    """Return the region α_s times as large; the counters are reset.

    If both lengths must reach their minimum, the one that would reach it first stays as it is.
    """
    # Floor, not round: Assumption 3.2 bounds the last region by ⌈(L_min + 1)/α_s⌉ - 1, which only floor attains.
    radius = None if region.radius is None else math.floor(region.radius / config.factor)
    length = None if region.length is None else region.length / config.factor
    if config.exhausted_by == "both" and radius is not None and length is not None:
        small, short = radius <= config.minimum_radius, length <= config.minimum_length
        if small and not short:
            radius = region.radius
        if short and not small:
            length = region.length
    return TrustRegion(radius, length)


def exhausted(region: TrustRegion, config: Config) -> bool:
    """Secs. 3.1 and 3.2: return whether either length has reached its minimum; with `exhausted_by="both"`, both."""
    ended = [] if region.radius is None else [region.radius <= config.minimum_radius]
    ended += [] if region.length is None else [region.length <= config.minimum_length]
    return bool(ended) and (all(ended) if config.exhausted_by == "both" else any(ended))
