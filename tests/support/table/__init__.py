"""A table in one process, with its harness."""
