import json
from collections.abc import Callable
from typing import Any

import pytest

Record = dict[str, Any]


@pytest.fixture
def record() -> Callable[..., Record]:
    """A result as the arena writes it, with fields changed at will."""

    def make(**changes: Any) -> Record:
        base = {
            "problem": "pest-25",
            "method": "default",
            "seed": 0,
            "budget": 200,
            "batch": 1,
            "status": "done",
            "evaluations": 200,
            "direction": "minimize",
            "optimum": 1.0,
            "initial": 20,
            "versions": {"python": "3.11.0"},
            "best": [[1, 9.0], [30, 5.0], [120, 2.0]],
            "seconds": {"mean": 0.1, "median": 0.1, "max": 0.2, "total": 18.0},
            "memory_mb": 80,
            "wall_seconds": 20.0,
            "command": "python -m benchmarks run",
        }
        return json.loads(json.dumps(base | changes))

    return make
