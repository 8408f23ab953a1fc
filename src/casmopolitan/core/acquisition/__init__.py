"""Acquisition functions of a posterior and points, with gradients in x. All are to be maximised; the objective is minimised."""
