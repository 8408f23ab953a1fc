"""The arena: every method on every problem from the same initial points. `python -m benchmarks run`, then `report`."""
