"""The exact Gaussian process: targets, hyperparameters, priors, likelihood, fit, posterior (App. A and C.3)."""
