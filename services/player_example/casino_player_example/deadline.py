"""How long a player may think: what is left of the table's clock, less the way back."""

from datetime import timedelta

_SHORTEST_WAY, _LONGEST_WAY = 0.1, 1.5
_SHARE = 0.2


def time_to_think(deadline_ms: int) -> timedelta:
    """Return what may be spent on a decision: a fifth is kept, 0.1 s at least, 1.5 s at most.

    >>> time_to_think(10_000)
    datetime.timedelta(seconds=8, microseconds=500000)
    """
    left = deadline_ms / 1000
    way_back = min(max(left * _SHARE, _SHORTEST_WAY), _LONGEST_WAY)
    return timedelta(seconds=max(0.0, left - way_back))
