"""What a player may read of its own play."""
