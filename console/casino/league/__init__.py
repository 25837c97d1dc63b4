"""Implementation of `casino league`."""
