"""Time for a decision: the table's timeout less a reserve for the response."""

from datetime import timedelta

_MIN_RESERVE_S, _MAX_RESERVE_S = 0.1, 1.5
_RESERVE_SHARE = 0.2


def time_to_think(deadline_ms: int) -> timedelta:
    """Return the time for a decision; a fifth, between 0.1 s and 1.5 s, is kept in reserve.

    >>> time_to_think(10_000)
    datetime.timedelta(seconds=8, microseconds=500000)
    """
    seconds = deadline_ms / 1000
    reserve = min(max(seconds * _RESERVE_SHARE, _MIN_RESERVE_S), _MAX_RESERVE_S)
    return timedelta(seconds=max(0.0, seconds - reserve))
