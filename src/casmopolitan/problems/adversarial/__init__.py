"""Adversarial attacks on a classifier as a black box (Sec. 4.2)."""
