"""The trials of a study as users see them."""
