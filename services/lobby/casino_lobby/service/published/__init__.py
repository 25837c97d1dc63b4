"""Published matches and leagues: putting, listing and reading them, and their notable hands."""
