"""Hand histories: completed hands in the formats of others, written and read. Pure."""
