"""Bots with one fault each, for `casino check`."""
