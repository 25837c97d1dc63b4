"""How remarkable a hand was: what its public events say, and the points for it."""
