"""Table agents: launched or announced, called and probed."""
