"""Published matches and leagues: by id, and by the players of a match."""
