"""Deadlines of the requests under way: one timer for all, because hardly one is ever reached."""

import asyncio
from typing import Protocol


class Expiring(Protocol):
    """A request with a deadline."""

    ends_at: float
    """In seconds of the loop."""

    def expire(self) -> None:
        """End the request: its reply is late."""
        ...


class Deadlines:
    """Expires each request that is watched when its deadline is reached."""

    def __init__(self) -> None:
        self._watched: set[Expiring] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._fires_at = 0.0

    def watch(self, request: Expiring, ends_at: float) -> None:
        """Expire a request at a time of the loop, unless it is released before."""
        request.ends_at = ends_at
        self._watched.add(request)
        if self._timer is None or ends_at < self._fires_at:
            self._set(ends_at)

    def release(self, request: Expiring) -> None:
        """Watch a request no longer."""
        self._watched.discard(request)

    def cancel(self) -> None:
        """Cancel the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _set(self, fires_at: float) -> None:
        self.cancel()
        self._fires_at = fires_at
        self._timer = asyncio.get_running_loop().call_at(fires_at, self._fire)

    def _fire(self) -> None:
        self._timer = None
        now = asyncio.get_running_loop().time()
        for request in [request for request in self._watched if request.ends_at <= now]:
            self._watched.discard(request)
            request.expire()
        if self._watched:
            self._set(min(request.ends_at for request in self._watched))
