"""REST of A2G: sign-in, games and rooms, wallet."""
