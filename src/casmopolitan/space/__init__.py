"""Search spaces: configurations on the user's side, points on the side of the algorithm."""

from casmopolitan.scalars import Scalar
from casmopolitan.space.constraint import Configuration, Constraint, Forbid, Predicate
from casmopolitan.space.space import Space
from casmopolitan.space.variables import NARROW, Categorical, Integer, Ordinal, Real, Variable

__all__ = [
    "NARROW",
    "Categorical",
    "Configuration",
    "Constraint",
    "Forbid",
    "Integer",
    "Ordinal",
    "Predicate",
    "Real",
    "Scalar",
    "Space",
    "Variable",
]
