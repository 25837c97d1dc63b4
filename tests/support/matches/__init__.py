"""Results of matches and leagues, for tests of who keeps and shows them."""
