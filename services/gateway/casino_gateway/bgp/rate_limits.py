"""Rate limits of messages: a token bucket per seat, and per address for what has no seat."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from casino_agentkit.rate_limit import RateLimit
from casino_agentkit.server.client_network import network_of

from casino_gateway.bgp.codes import ErrorCode
from casino_gateway.bgp.refusal import MessageRefused


@dataclass(frozen=True, slots=True)
class Rate:
    """Messages per second, refilled evenly up to `burst`."""

    per_second: float
    burst: float


@dataclass(frozen=True, slots=True)
class Rates:
    """The limits of one process."""

    of_seat: Rate = Rate(1000, 2000)
    """Messages of one seat; a program that plays fast sends two for each decision."""
    of_address: Rate = Rate(20, 100)
    """Messages of one address without the token of a seat: attempts, lists, and new seats."""


class RateLimits:
    """Counts messages. `now` returns seconds; only the most recent senders are remembered."""

    def __init__(self, now: Callable[[], float], rates: Rates | None = None) -> None:
        rates = rates or Rates()
        self._seats = RateLimit(rates.of_seat.per_second, rates.of_seat.burst, now)
        self._addresses = RateLimit(rates.of_address.per_second, rates.of_address.burst, now)

    def take_of_seat(self, seat_id: str) -> None:
        """Count a message of a seat; raises MessageRefused: RATE_LIMITED."""
        _take(self._seats, seat_id, 1)

    def take_of_address(self, address: str, weight: float = 1) -> None:
        """Count a message without a seat; raises MessageRefused: RATE_LIMITED."""
        _take(self._addresses, network_of(address), weight)


def _take(limit: RateLimit, sender: str, weight: float) -> None:
    if not limit.take(sender, weight):
        wait_s = math.ceil(limit.wait_s(sender, weight))
        raise MessageRefused(
            ErrorCode.RATE_LIMITED,
            f"Too many messages; try again in {wait_s} s.",
            data={"retry_after": wait_s},
        )
