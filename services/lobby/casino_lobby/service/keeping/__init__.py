"""Deletes old hands and archived rooms of the database in the background."""
