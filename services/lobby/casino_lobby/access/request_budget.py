"""How much one address may ask for: a token bucket each. Pure; the clock is passed in.

One budget is for everything that an address asks for, by REST and by A2A. A command costs one
token; a read costs little, and then by what it returns. Callers that show a key are not counted.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

from casino_agentkit import CommandRefused
from casino_agentkit.server.client_network import network_of

COMMAND = 1.0
ANNOUNCEMENT = 0.1
"""A table announces itself every few seconds, and a process may hold a hundred of them."""
STREAM = 1.0
"""Opening one; what it returns of the past is added."""
READ = 0.02
_BYTES_PER_TOKEN = 250_000
"""A token is about eight milliseconds of CPU."""

_ADDRESSES_KEPT = 10_000


def weight_of_bytes(size: int) -> float:
    """Return what a read costs more for what it returned.

    >>> weight_of_bytes(1_750_000)  # a page of 5,000 events
    7.0
    """
    return size / _BYTES_PER_TOKEN


@dataclass
class _Bucket:
    """Tokens that are left, fewer than none when a read returned more; as of a time in seconds."""

    left: float
    at: float


class RequestBudget:
    """At most `per_minute` tokens of one address, refilled evenly; 0 means no limit.

    `clock` gives seconds. Only the addresses heard of last are remembered.

    >>> budget = RequestBudget(60, clock=lambda: 0.0)
    >>> budget.take("192.0.2.1")
    >>> budget.take("192.0.2.1", READ)
    >>> budget.charge("192.0.2.1", weight_of_bytes(1_000_000))
    0.0
    """

    def __init__(self, per_minute: int, clock: Callable[[], float]) -> None:
        self.per_minute = per_minute
        self._clock = clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, address: str, weight: float = COMMAND) -> None:
        """Pay before something is done.

        Raises CommandRefused: TOO_MANY_REQUESTS, with the seconds to wait; then nothing was paid.
        """
        if not self.per_minute:
            return
        bucket = self._bucket(address)
        missing = min(weight, self.per_minute) - bucket.left
        if missing > 0:
            wait_s = ceil(missing / self._per_second)
            raise CommandRefused(
                "TOO_MANY_REQUESTS",
                f"This address may send {self.per_minute} commands a minute, or read as much as"
                f" costs the same; go on in {wait_s} s.",
                details={"retryAfter": str(wait_s)},
            )
        bucket.left -= weight

    def charge(self, address: str, weight: float) -> float:
        """Pay for what was done already; returns the seconds until the debt is paid, 0 for none.

        Nobody is in debt for more than a minute.
        """
        if not self.per_minute:
            return 0.0
        bucket = self._bucket(address)
        bucket.left = max(bucket.left - weight, -self.per_minute)
        return max(0.0, -bucket.left / self._per_second)

    @property
    def _per_second(self) -> float:
        return self.per_minute / 60

    def _bucket(self, address: str) -> _Bucket:
        """Return an address's bucket, filled up to now."""
        now, who = self._clock(), network_of(address)
        bucket = self._buckets.pop(who, None) or _Bucket(self.per_minute, now)
        self._buckets[who] = bucket  # the last one heard of
        bucket.left = min(self.per_minute, bucket.left + (now - bucket.at) * self._per_second)
        bucket.at = now
        while len(self._buckets) > _ADDRESSES_KEPT:
            self._buckets.popitem(last=False)
        return bucket


CommandLimit = RequestBudget
"""The name by which the REST interface has known it."""
