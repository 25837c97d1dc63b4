"""Child processes, logs, keys and private files."""
