"""Matches for callers of the service: begun, found, queued, played and resumed."""
