"""What every kernel offers, and the data it is prepared for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from casmopolitan.core.arrays import Array
from casmopolitan.core.domain import Domain
from casmopolitan.core.kernels.coding import Coding, Rows
from casmopolitan.core.points import Points


@dataclass(frozen=True, eq=False)
class Data:
    """Points prepared once for many kernel evaluations: their coding and their rows in it (n >= 1)."""

    points: Points
    coding: Coding
    rows: Rows

    @classmethod
    def of(cls, domain: Domain, points: Points) -> Data:
        """The points with the columns made for them."""
        coding = Coding.of(domain, points.h)
        return cls(points, coding, coding.encode(points))

    def __len__(self) -> int:
        return len(self.points)

    def encode(self, points: Points) -> Rows:
        """Other points in the columns of these."""
        return self.coding.encode(points)


class Kernel(Protocol):
    """A stationary kernel with a vector of positive hyper-parameters θ.

    `forward` gives the matrix over the data and a tape; `backward` turns W = ∂loss/∂K, folded, into ∂loss/∂θ; `cross` gives the
    matrix between other points and the data, and a tape; `pull` turns V = ∂loss/∂cross into ∂loss/∂x of those points.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """One name a hyper-parameter, in order: 'rate' or 'rate[3]' and the like."""
        ...

    def diagonal(self, theta: Array) -> float:
        """k(z, z), the same for every z."""
        ...

    def forward(self, theta: Array, data: Data) -> tuple[Array, Any]:
        """K over the data, and what backward needs."""
        ...

    def backward(self, theta: Array, data: Data, tape: Any, W: Array) -> Array:
        """∂loss/∂θ from W = ∂loss/∂K, folded. W is not changed."""
        ...

    def cross(self, theta: Array, rows: Rows, data: Data) -> tuple[Array, Any]:
        """K between rows and the data, and what pull needs."""
        ...

    def pull(self, theta: Array, rows: Rows, data: Data, tape: Any, V: Array) -> Array:
        """∂loss/∂x of the rows from V = ∂loss/∂cross. V is not changed."""
        ...


def indexed(name: str, count: int, ard: bool) -> tuple[str, ...]:
    """'name' once, or 'name[0]' ... 'name[count - 1]' with automatic relevance determination."""
    return tuple(f"{name}[{i}]" for i in range(count)) if ard else (name,)
