"""Adversarial attacks on a black-box classifier (Sec. 4.2)."""
