"""Eastern time of the United States, in which trackers expect the time of a hand."""

from datetime import UTC, datetime, timedelta

_SUMMER, _WINTER = timedelta(hours=-4), timedelta(hours=-5)
_SUNDAY = 6


def eastern(time: datetime) -> datetime:
    """Return the local time of a time with a zone, without its zone.

    Summer time is from the second Sunday in March to the first in November, at 2 o'clock. Systems
    without a database of time zones get the same answer.
    """
    utc = time.astimezone(UTC).replace(tzinfo=None)
    begins = _sunday(utc.year, 3, 2) + timedelta(hours=2) - _WINTER
    ends = _sunday(utc.year, 11, 1) + timedelta(hours=2) - _SUMMER
    return utc + (_SUMMER if begins <= utc < ends else _WINTER)


def _sunday(year: int, month: int, number: int) -> datetime:
    first = datetime(year, month, 1)  # noqa: DTZ001  a local date
    return first + timedelta(days=(_SUNDAY - first.weekday()) % 7 + 7 * (number - 1))
