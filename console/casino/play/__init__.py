"""Play at a table as a person, over the Boardgame Protocol."""
