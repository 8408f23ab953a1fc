"""The sampler: CASMOPOLITAN inside Optuna. Needs optuna alone."""
