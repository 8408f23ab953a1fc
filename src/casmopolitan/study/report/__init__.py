"""The report of a study: one HTML page, self-contained."""
