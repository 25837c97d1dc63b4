"""Pauses between the attempts of a call that fails, each twice as long as the last."""

from dataclasses import dataclass

_MOST_DOUBLINGS = 32
"""A larger power overflows a float after hours of failures, and exceeds every `slowest_s`."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """Pauses from `first_s` to `slowest_s` seconds.

    >>> backoff = Backoff(first_s=0.5, slowest_s=3.0)
    >>> [backoff.pause_s(failures) for failures in (1, 2, 3, 4, 5)]
    [0.5, 1.0, 2.0, 3.0, 3.0]
    """

    first_s: float
    slowest_s: float

    def pause_s(self, failures: int) -> float:
        """Return the seconds to wait after this number of failures in a row, at least 1."""
        doublings = min(failures - 1, _MOST_DOUBLINGS)
        return min(self.first_s * 2.0**doublings, self.slowest_s)
