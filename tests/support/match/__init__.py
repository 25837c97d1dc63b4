"""Matches of tests: their plans, and agents that play them in this process."""
