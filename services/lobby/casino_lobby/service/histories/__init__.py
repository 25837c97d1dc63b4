"""Hand histories of rooms, in the formats of others."""
