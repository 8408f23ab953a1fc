"""The study file: its schema, reading it, comparing it with the recorded study."""
