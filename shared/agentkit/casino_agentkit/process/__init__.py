"""What a process needs: child processes, logs, keys and private files."""
