"""State of bounded size: a dictionary that forgets, and rate limits for so many keys. Pure."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")


class LruDict(Generic[KeyT, ValueT]):
    """The `size` most recently used entries; `get` and `put` use an entry.

    >>> classes = LruDict[str, int](2)
    >>> classes.put("a", 1), classes.put("b", 2), classes.get("a"), classes.put("c", 3)
    (None, None, 1, None)
    >>> classes.get("b"), classes.get("a"), len(classes)
    (None, 1, 2)
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: OrderedDict[KeyT, ValueT] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: KeyT) -> ValueT | None:
        value = self._entries.get(key)
        if value is not None:
            self._entries.move_to_end(key)
        return value

    def remove(self, key: KeyT) -> None:
        self._entries.pop(key, None)

    def put(self, key: KeyT, value: ValueT) -> None:
        """Store a value, and evict the least recently used entry if there are too many."""
        self._entries[key] = value
        self._entries.move_to_end(key)
        if len(self._entries) > self._size:
            self._entries.popitem(last=False)


_KEYS = 10_000


@dataclass(slots=True)
class _TokenBucket:
    left: float
    at: float


class RateLimit:
    """At most `burst` at once and `per_second` on average, for each of the newest 10,000 keys.

    >>> limit = RateLimit(1, burst=2, clock=lambda: 0.0)
    >>> limit.take("a"), limit.take("a"), limit.take("a"), limit.take("b")
    (True, True, False, True)
    """

    def __init__(self, per_second: float, burst: float, clock: Callable[[], float]) -> None:
        self._per_second = per_second
        self._burst = burst
        self._clock = clock
        self._buckets = LruDict[str, _TokenBucket](_KEYS)

    def take(self, key: str = "", weight: float = 1, least: float | None = None) -> bool:
        """Count `weight`; return whether it, or `least`, is within the limit. Else it is free."""
        bucket = self._refilled(key)
        if bucket.left < (weight if least is None else least):
            return False
        bucket.left -= weight
        return True

    def charge(self, key: str, weight: float) -> float:
        """Count what was done already; return the seconds until the debt is paid, 0 for none.

        The debt is at most `burst`.
        """
        bucket = self._refilled(key)
        bucket.left = max(bucket.left - weight, -self._burst)
        return max(0.0, -bucket.left / self._per_second)

    def _refilled(self, key: str) -> _TokenBucket:
        now = self._clock()
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = _TokenBucket(self._burst, now)
            self._buckets.put(key, bucket)
        bucket.left = min(self._burst, bucket.left + (now - bucket.at) * self._per_second)
        bucket.at = now
        return bucket

    def wait_s(self, key: str = "", weight: float = 1) -> float:
        """Return the seconds after which a refused `weight` is within the limit."""
        bucket = self._buckets.get(key)
        missing = 0.0 if bucket is None else max(0.0, weight - bucket.left)
        return missing / self._per_second

    def give_back(self, key: str = "") -> None:
        """Count one less: it was no burden."""
        bucket = self._buckets.get(key)
        if bucket is not None:
            bucket.left = min(self._burst, bucket.left + 1)
