"""Algorithm 1, line 10: the maximum of the acquisition function within the region."""
