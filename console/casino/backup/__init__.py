"""Implementation of `casino backup` and `casino restore`."""
