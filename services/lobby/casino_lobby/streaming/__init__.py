"""Server-sent events: broadcast, replay, delay and limits."""
