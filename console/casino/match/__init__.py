"""Matches on a terminal: `casino match`."""
