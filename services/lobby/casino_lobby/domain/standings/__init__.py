"""Results of a room's players: a fold of events, and how readers see it."""
