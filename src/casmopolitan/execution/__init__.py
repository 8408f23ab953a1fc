"""Evaluating configurations with the user's program: subprocesses with limits of time and memory."""
