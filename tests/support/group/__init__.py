"""Members of a group of lobbies, for tests."""
