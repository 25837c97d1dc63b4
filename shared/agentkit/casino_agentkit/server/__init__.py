"""Serve agents over HTTP: routes, protocol bindings, limits, TLS."""
