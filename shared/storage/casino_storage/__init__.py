"""What services keep: a SQLite file that one process holds, and compressed records."""
