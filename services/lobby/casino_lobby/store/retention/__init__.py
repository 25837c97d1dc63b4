"""What is kept of rooms: old events and hands are deleted, archived rooms are read."""
