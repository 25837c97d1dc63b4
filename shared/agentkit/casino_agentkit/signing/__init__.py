"""Signed agent cards."""
