"""`casino join` as a process."""
