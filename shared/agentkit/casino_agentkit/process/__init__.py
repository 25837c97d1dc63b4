"""Child processes, background tasks, logs, keys and private files."""
