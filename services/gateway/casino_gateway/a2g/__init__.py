"""A2G (Agent-to-Game): REST and WebSocket."""
