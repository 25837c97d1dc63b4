"""Table events: the event, its payloads, and reading them."""
