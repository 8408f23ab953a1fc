"""Weighted MaxSAT problems, and their file format."""
