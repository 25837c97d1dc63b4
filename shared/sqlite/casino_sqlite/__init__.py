"""The SQLite file of a service: one process holds it, writes are committed in groups."""
