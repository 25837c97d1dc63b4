"""Connections to the lobby's database, and the lock that makes it this lobby's."""
