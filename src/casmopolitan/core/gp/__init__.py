"""The exact Gaussian process: targets, hyper-parameters, likelihood, fit, posterior (App. A and C.3)."""
