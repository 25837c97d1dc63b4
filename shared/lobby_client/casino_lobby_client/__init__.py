"""The client of a lobby: its REST API, and its event streams with resume."""
