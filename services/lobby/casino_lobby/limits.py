"""How many commands one address may send: a token bucket each. Pure; the clock is given."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, IPv6Network, ip_address
from math import ceil

from casino_agentkit import Refusal

_ADDRESSES_KEPT = 10_000
_IPV6_PREFIX = 64
"""Whoever has one IPv6 address has a whole network of so many bits to choose from."""


@dataclass
class _Bucket:
    """Commands that may still come at once, as of a time in seconds."""

    left: float
    at: float


class CommandLimit:
    """At most `per_minute` commands of one address, refilled evenly; 0 means no limit.

    `clock` gives seconds. Only the addresses heard of last are remembered.

    >>> limit = CommandLimit(60, clock=lambda: 0.0)
    >>> limit.take("192.0.2.1")
    """

    def __init__(self, per_minute: int, clock: Callable[[], float]) -> None:
        self.per_minute = per_minute
        self._clock = clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, address: str) -> None:
        """Count one command; raises Refusal: TOO_MANY_REQUESTS, with the seconds to wait."""
        if not self.per_minute:
            return
        now, who = self._clock(), _who(address)
        bucket = self._buckets.pop(who, None) or _Bucket(self.per_minute, now)
        self._buckets[who] = bucket  # the last one heard of
        per_second = self.per_minute / 60
        bucket.left = min(self.per_minute, bucket.left + (now - bucket.at) * per_second)
        bucket.at = now
        while len(self._buckets) > _ADDRESSES_KEPT:
            self._buckets.popitem(last=False)
        if bucket.left < 1:
            wait_s = ceil((1 - bucket.left) / per_second)
            raise Refusal(
                "TOO_MANY_REQUESTS",
                f"This address may send {self.per_minute} commands a minute; go on in {wait_s} s.",
                details={"retryAfter": str(wait_s)},
            )
        bucket.left -= 1


def _who(address: str) -> str:
    """Return the name of an address's bucket."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is None:
        return str(IPv6Network((int(parsed), _IPV6_PREFIX), strict=False))
    return address
