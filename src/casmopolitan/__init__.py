"""Bayesian optimisation when most of your knobs are choices."""
