"""Kernels for z = [h, x], one file each. The docstring of a file is the equation of its kernel."""
