"""Kernels for z = [h, x], one file each; the docstring is the equation."""
