"""Matches and leagues: results that a lobby keeps and shows."""
