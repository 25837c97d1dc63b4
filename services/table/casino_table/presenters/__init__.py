"""Questions to players and public events of a hand, by game."""
