"""Whether somebody is there for a seat."""

from collections.abc import Iterator
from contextlib import contextmanager

from casino_seats.clock import Clock

from casino_gateway.metrics import GatewayMetrics


class Presence:
    """Somebody is there while connected, and for a time after each message.

    At the start, and so after a restart of the gateway, somebody counts as there for that time.
    """

    def __init__(self, clock: Clock, metrics: GatewayMetrics, lasts_s: float) -> None:
        self.sits_out = False
        """Whether the owner wishes to be played by default."""
        self.connections = 0
        self._clock = clock
        self._metrics = metrics
        self._lasts_s = lasts_s
        self._heard_at = clock.now()

    @property
    def is_there(self) -> bool:
        """Whether somebody is connected, or was heard lately."""
        return self.connections > 0 or self._clock.now() - self._heard_at < self._lasts_s

    @property
    def decides(self) -> bool:
        """Whether questions are put to somebody, instead of being answered by default."""
        return self.is_there and not self.sits_out

    def touch(self) -> None:
        """Note a message of the owner."""
        self._heard_at = self._clock.now()
        self.sits_out = False

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Count a connection for the time of the context."""
        self.connections += 1
        self._metrics.sockets.inc()
        try:
            yield
        finally:
            self._metrics.sockets.dec()
            self.connections -= 1
            self._heard_at = self._clock.now()
