"""Implementation of `casino watch`."""
