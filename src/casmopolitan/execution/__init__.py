"""Evaluating configurations with the user's program: subprocesses with limits on time and memory."""
