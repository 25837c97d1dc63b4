"""Rate limit per address: a token bucket each. Pure; the clock is passed in.

REST and A2A requests of an address share one budget. A command costs one token; a read costs a
small base price plus a price per byte returned. Callers with a key are exempt.
"""

from collections.abc import Callable
from math import ceil

from casino_agentkit import CommandRefused
from casino_agentkit.bounded_state import RateLimit
from casino_agentkit.network import network_of
from casino_contracts import Reason

COMMAND = 1.0
ANNOUNCEMENT = 0.1
"""Cheap, because a table announces itself every few seconds, and a process may host a hundred."""
STREAM = 1.0
"""Price of opening a stream; replayed events are charged in addition."""
READ = 0.02
RECORDS = 5.0
"""Price of a player's own hands, before the bytes: the table replays each of them."""
_BYTES_PER_TOKEN = 250_000
"""A token is about eight milliseconds of CPU."""


def weight_of_bytes(size: int) -> float:
    """Return the additional price of a read for the bytes it returned.

    >>> weight_of_bytes(1_750_000)  # a page of 5,000 events
    7.0
    """
    return size / _BYTES_PER_TOKEN


class RequestBudget:
    """At most `per_minute` tokens of one address, refilled evenly; 0 means no limit.

    `clock` returns seconds. Only the newest 10,000 addresses are remembered.

    >>> budget = RequestBudget(60, clock=lambda: 0.0)
    >>> budget.take("192.0.2.1")
    >>> budget.take("192.0.2.1", READ)
    >>> budget.charge("192.0.2.1", weight_of_bytes(1_000_000))
    0.0
    """

    def __init__(self, per_minute: int, clock: Callable[[], float]) -> None:
        self.per_minute = per_minute
        self._limit = RateLimit(per_minute / 60, per_minute, clock)

    def take(self, address: str, weight: float = COMMAND) -> None:
        """Charge a request before it is executed.

        Raises CommandRefused: TOO_MANY_REQUESTS, with the seconds to wait; then nothing is charged.
        """
        if not self.per_minute:
            return
        network, least = network_of(address), min(weight, self.per_minute)
        if not self._limit.take(network, weight, least):
            wait_s = ceil(self._limit.wait_s(network, least))
            raise CommandRefused(
                Reason.TOO_MANY_REQUESTS,
                f"This address may send {self.per_minute} commands a minute, or read as much as"
                f" costs the same; try again in {wait_s} s.",
                details={"retryAfter": str(wait_s)},
            )

    def charge(self, address: str, weight: float) -> float:
        """Charge after execution; return the seconds until the debt is paid, 0 if there is none.

        The debt is at most one minute's budget.
        """
        if not self.per_minute:
            return 0.0
        return self._limit.charge(network_of(address), weight)
