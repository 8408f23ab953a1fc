"""The HTML report of a run: one page with SVG charts, no script. It needs rows of trials, not a database."""
