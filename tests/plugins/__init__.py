"""Plugins of pytest for every test of this project."""
