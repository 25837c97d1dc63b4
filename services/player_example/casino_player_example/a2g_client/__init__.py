"""Client of A2G servers: the players of any game at a table over a WebSocket."""
