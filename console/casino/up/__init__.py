"""Implementation of `casino up` and `casino deal`."""
