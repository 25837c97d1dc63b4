"""The time of tests."""

from datetime import UTC, datetime


def today() -> datetime:
    """Return the same time always."""
    return datetime(2026, 11, 23, 20, 0, tzinfo=UTC)
