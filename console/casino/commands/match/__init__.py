"""Commands of matches and leagues."""
