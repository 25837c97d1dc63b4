"""Several active lobbies: commands and events reach the lobby that owns the room."""
