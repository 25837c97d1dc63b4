"""Quantiles of the time that decisions take, in a fixed number of counters. Pure."""

from dataclasses import dataclass, field
from math import ceil, log

GROWTH = 1.1
"""Each bucket is this many times as wide as the bucket before."""
_LOG_GROWTH = log(GROWTH)
_LAST_BUCKET = 170
"""Holds everything from three hours on."""


@dataclass
class LatencySketch:
    """Numbers of decisions by time, in logarithmic buckets of milliseconds.

    A quantile is exact up to 10 ms, and within 5 % beyond. Sketches of the same decisions are
    equal, in any order.

    >>> sketch = LatencySketch()
    >>> for latency_ms in range(1, 1001):
    ...     sketch.add(latency_ms)
    >>> sketch.total, sketch.quantile(0.5), sketch.quantile(0.95)
    (1000, 489, 951)
    """

    buckets: dict[int, int] = field(default_factory=dict)
    """By the number of the bucket; bucket 0 holds those below 1 ms."""

    @property
    def total(self) -> int:
        """Number of decisions."""
        return sum(self.buckets.values())

    def add(self, latency_ms: int) -> None:
        """Count a decision."""
        buckets = self.buckets
        bucket = _SHORT[latency_ms] if latency_ms < _SHORT_TIMES else _bucket(latency_ms)
        buckets[bucket] = buckets.get(bucket, 0) + 1

    def quantile(self, share: float) -> int | None:
        """Return the time in ms that this share of the decisions took at most; None without any."""
        rank = max(1, ceil(share * self.total))
        for bucket in sorted(self.buckets):
            rank -= self.buckets[bucket]
            if rank <= 0:
                return _middle(bucket)
        return None


def _bucket(latency_ms: int) -> int:
    return min(_LAST_BUCKET, 1 + int(log(latency_ms) / _LOG_GROWTH)) if latency_ms else 0


_SHORT_TIMES = 1_024
_SHORT = bytes(map(_bucket, range(_SHORT_TIMES)))
"""The buckets of short times, which are most."""


def _middle(bucket: int) -> int:
    """Return the time that stands for a bucket: the geometric mean of its bounds."""
    if bucket == 0:
        return 0
    return round(float(GROWTH ** (bucket - 0.5)))
