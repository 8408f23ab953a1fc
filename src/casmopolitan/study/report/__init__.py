"""The report of a study: one self-contained HTML page that works offline and runs no script."""
