"""The time of a hand in formats that demand one: hands of a match have none."""

from datetime import UTC, datetime, timedelta

from casino_histories.hand import HandHistory

FIRST = datetime(2000, 1, 1, tzinfo=UTC)


def time_of(hand: HandHistory) -> datetime:
    """Return when the hand began, or so many seconds after 2000-01-01 as its number is."""
    return hand.started_at or FIRST + timedelta(seconds=min(hand.number, 10**9))
