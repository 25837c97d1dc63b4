"""The least time between two published moments of play, so that people can follow it."""

from math import inf

from casino_play.turn import Clock


class Pace:
    """Keeps `pace_ms` between the deal and the decisions of one table; 0 or None: no wait."""

    def __init__(self, clock: Clock, pace_ms: int | None) -> None:
        self._clock = clock
        self._pace_s = (pace_ms or 0) / 1000
        self._published_at = -inf

    def published(self) -> None:
        """Note that a deal or a decision was published."""
        if self._pace_s:
            self._published_at = self._clock.now()

    async def wait(self) -> bool:
        """Wait until the next one may be published; returns whether that took time."""
        if not self._pace_s:
            return False
        left_s = self._published_at + self._pace_s - self._clock.now()
        if left_s > 0:
            await self._clock.sleep(left_s)
        return left_s > 0
