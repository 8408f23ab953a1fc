"""Databases: opening them, retrying, their URLs."""
