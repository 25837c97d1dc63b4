"""Deliver events and announcements to the lobby."""
