"""Matches for tests."""
