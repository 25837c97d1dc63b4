"""What players and spectators see of a hand, by game."""
