"""Typed entrypoints over A2A: the plumbing that every agent of the casino shares."""
