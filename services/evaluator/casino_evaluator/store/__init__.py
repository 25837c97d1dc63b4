"""Database of keys, scorecards and sessions."""
