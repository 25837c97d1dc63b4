"""Two lobbies on one database, for the tests of failover."""
