"""Runs of matches: so many at a time, each in a thread, the others in their order."""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Final

import structlog
from casino_contracts.run_match import ERROR_LIMIT

from casino_match.errors import (
    InvalidPlan,
    MatchError,
    MatchInterrupted,
    MatchSuspended,
    PlayerFailed,
    PlayerWrong,
)
from casino_match.metrics import EndStatus, MatchMetrics
from casino_match.service.live_match import LiveMatch

logger = structlog.get_logger(__name__)

Play = Callable[[LiveMatch], None]

_SUSPENDED: Final = (MatchSuspended, PlayerFailed, PlayerWrong, InvalidPlan)
"""After which the match may go on once the player is mended."""
_STOPPED: Final = "interrupted: the service was stopped; what is played stays"
_SECONDS_TO_END: Final = 8.0


class Runs:
    """Plays matches: at most `at_once` at a time, while at most `most_queued` wait."""

    def __init__(self, play: Play, at_once: int, most_queued: int, metrics: MatchMetrics) -> None:
        self._play = play
        self._at_once = at_once
        self._most_queued = most_queued
        self._metrics = metrics
        self._queue: deque[LiveMatch] = deque()
        self._running: dict[LiveMatch, asyncio.Task[None]] = {}
        self._is_closed = False
        metrics.watch(lambda: len(self._running), lambda: len(self._queue))

    @property
    def is_full(self) -> bool:
        """Whether no further match can wait."""
        places = self._at_once - len(self._running) + self._most_queued
        return len(self._queue) >= places

    def add(self, match: LiveMatch) -> None:
        """Play a match when it is its turn."""
        match.queue()
        self._queue.append(match)
        self._begin()

    async def close(self) -> None:
        """End all runs: the matches are suspended, and what they have played stays."""
        self._is_closed = True
        while self._queue:
            self._queue.popleft().end("suspended", _STOPPED)
        for match in self._running:
            match.stop.set()
        if self._running:
            await asyncio.wait(self._running.values(), timeout=_SECONDS_TO_END)

    def _begin(self) -> None:
        while self._queue and len(self._running) < self._at_once and not self._is_closed:
            match = self._queue.popleft()
            match.begin()
            logger.info("match_runs", match=match.match_id)
            self._running[match] = asyncio.create_task(self._run(match))

    async def _run(self, match: LiveMatch) -> None:
        status, error = await self._outcome(match)
        del self._running[match]
        self._metrics.ended(status)
        logger.info("match_ended", match=match.match_id, status=status, reason=error)
        match.end(status, error)
        self._begin()

    async def _outcome(self, match: LiveMatch) -> tuple[EndStatus, str | None]:
        try:
            await _in_thread(lambda: self._play(match))
        except MatchInterrupted as error:
            return "suspended", _STOPPED if match.stop.is_set else str(error)
        except _SUSPENDED as error:
            return "suspended", str(error)[:ERROR_LIMIT]
        except MatchError as error:
            return "failed", str(error)[:ERROR_LIMIT]
        except Exception as error:
            logger.exception("match_failed", match=match.match_id)
            return "failed", f"a fault of the service: {type(error).__name__}"
        return "complete", None


async def _in_thread(call: Callable[[], None]) -> None:
    """Call a function in a thread for which nobody waits when the process ends."""
    loop = asyncio.get_running_loop()
    over: asyncio.Future[None] = loop.create_future()

    def settle(error: BaseException | None) -> None:
        if over.done():
            return
        if error is None:
            over.set_result(None)
        else:
            over.set_exception(error)

    def run() -> None:
        raised: BaseException | None = None
        try:
            call()
        except BaseException as error:  # noqa: BLE001  raised where it is awaited
            raised = error
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, raised)

    Thread(target=run, name="match", daemon=True).start()
    await over
