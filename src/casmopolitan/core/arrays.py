"""Types of the arrays that the core works on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
"""Real numbers."""

Codes = NDArray[np.int64]
"""Integer codes of discrete values, or indices."""

Mask = NDArray[np.bool_]
"""True or false, entry by entry."""
