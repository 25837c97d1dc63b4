"""Several active lobbies on one database: commands and events reach the lobby that owns the room."""
