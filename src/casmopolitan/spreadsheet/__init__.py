"""Trials as CSV files and workbooks: written for spreadsheets, and read back from them."""
