"""A match of the service: where it is, how far it is, and who waits for it."""

import asyncio
from dataclasses import dataclass, field
from typing import Final

from casino_contracts.run_match import MatchEstimate, MatchStatus

from casino_match.executors.stop import Stop
from casino_match.run.match_run import RunProgress
from casino_match.store.match_directory import MatchDirectory
from casino_match.store.written_plan import WrittenPlan

_ACTIVE: Final = frozenset({"queued", "running"})


@dataclass(eq=False)
class LiveMatch:
    """A match whose plan is written; changed by the event loop's thread, but for `progress`."""

    match_id: str
    directory: MatchDirectory
    written: WrittenPlan
    status: MatchStatus
    decks: int = 0
    """Decks whose blocks were there when it was read."""
    error: str | None = None
    progress: RunProgress | None = None
    """Replaced by the thread that plays; None before it has begun."""
    stop: Stop = field(default_factory=Stop)
    _over: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_active(self) -> bool:
        """Whether it waits for others or is played."""
        return self.status in _ACTIVE

    @property
    def decks_played(self) -> int:
        """The number of decks of all blocks that are there."""
        return self.decks if self.progress is None else self.progress.decks

    @property
    def estimate(self) -> MatchEstimate | None:
        """What the decks so far say, if any were read."""
        seen = self.progress.seen if self.progress is not None else None
        if seen is None:
            return None
        first, second = self.written.plan.players[:2]
        return MatchEstimate(
            first=first.name,
            second=second.name,
            decks=seen.decks,
            bb_per_100=seen.bb_per_100,
            half_width=seen.half_width,
        )

    def queue(self) -> None:
        """Let it wait for others; what it failed of before stays until it ends."""
        self.status = "queued"
        self.stop = Stop()
        self._over.clear()

    def begin(self) -> None:
        """Note that it is played."""
        self.status = "running"

    def end(self, status: MatchStatus, error: str | None = None) -> None:
        """Note how it ended, and wake everybody who waits."""
        self.status, self.error = status, error
        self._over.set()

    async def ended(self, seconds: float) -> None:
        """Wait until it is neither queued nor played, at most so long."""
        if not self.is_active or seconds <= 0:
            return
        try:
            async with asyncio.timeout(seconds):
                await self._over.wait()
        except TimeoutError:
            return
