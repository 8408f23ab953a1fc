"""Trials as CSV files: written for spreadsheets, and read back from them."""
