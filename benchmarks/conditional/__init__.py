"""Spaces in which variables exist only for some values of others."""
