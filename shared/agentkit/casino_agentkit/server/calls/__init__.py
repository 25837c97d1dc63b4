"""Typed calls: reading, running and answering them without the SDK."""
