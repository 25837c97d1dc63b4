"""Hands for tests of hand histories."""
