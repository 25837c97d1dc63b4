"""Limits and clocks of A2G; `app` sets those that are settings."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic


@dataclass(frozen=True, slots=True)
class A2gLimits:
    """Limits of the protocol's edges. Times in seconds."""

    reconnect: float = 120.0
    """How long a seat is kept for a client that is gone."""
    create_rooms: bool = False
    """Whether logins may open rooms."""
    logins_per_address: int = 60
    """Guest logins, challenges and sign-ins a minute, of one address; 0: no limit."""
    authentication: float = 10.0
    """How long a socket may take to authenticate."""
    heartbeat: float = 30.0
    """Time between the server's pings."""
    messages_per_second: float = 50.0
    """Messages of one socket, on average; a burst may have five times as many. Actions that the
    table takes are not counted."""
    hold: float = 5.0
    """How long a hand's first question waits at most for the result of the hand before; at most a
    quarter of its time."""
    seats_per_login: int = 8


@dataclass(frozen=True, slots=True)
class Clocks:
    """The time of the day, and monotonic seconds."""

    wall: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    monotonic: Callable[[], float] = monotonic

    def at_ms(self) -> int:
        """Return the milliseconds since 1970."""
        return milliseconds(self.wall())


def milliseconds(at: datetime) -> int:
    """Return a time as milliseconds since 1970.

    >>> milliseconds(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC))
    1000
    """
    return round(at.timestamp() * 1000)
