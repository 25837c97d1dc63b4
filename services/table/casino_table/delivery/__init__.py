"""Delivery to the lobby: events and announcements."""
