"""Use cases: sessions, scorecards, keys."""
