"""Methods compared on problems with limits or several objectives: `python -m benchmarks.outcomes`."""
