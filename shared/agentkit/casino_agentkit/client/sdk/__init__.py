"""Bindings through the SDK's client: HTTP+JSON, gRPC, and A2A 0.3."""
