"""Several active lobbies on one PostgreSQL: who owns a room, and how the others follow it."""
