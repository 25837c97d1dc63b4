"""Call agents: resolution, transport, bindings, replies."""
