"""The numbers behind every figure; `plots` draws them with matplotlib, the report of a study with SVG."""
