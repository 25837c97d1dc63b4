"""Docker Swarm on machines of a test, each with an engine of its own."""
