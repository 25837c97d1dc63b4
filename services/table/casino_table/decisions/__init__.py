"""Asking a player: clock, retries, outcome, what was decided."""
