"""The sampler: CASMOPOLITAN inside Optuna. It needs only optuna."""
