"""Running trials: the runner, subprocesses, limits."""
