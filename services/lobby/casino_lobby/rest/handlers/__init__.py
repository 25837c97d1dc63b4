"""Handlers of the REST operations, by resource."""
