"""The lobby's use cases: rooms, players, sessions, event ingest, hand records."""
