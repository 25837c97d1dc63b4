"""Readers: each yields the hands of a text."""
