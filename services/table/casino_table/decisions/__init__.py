"""Ask a player for a decision: timeout, retries, outcome, journal format."""
