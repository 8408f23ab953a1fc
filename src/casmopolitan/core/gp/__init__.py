"""The exact Gaussian process: targets, hyper-parameters, priors, likelihood, fit, posterior (App. A and C.3)."""
