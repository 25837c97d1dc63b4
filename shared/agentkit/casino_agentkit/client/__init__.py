"""Calling agents: resolve, transport, bindings, replies."""
