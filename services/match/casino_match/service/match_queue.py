"""Play matches: so many at a time, each in a thread, the others in their order.

A match of styles is played in processes, one with agents in this process.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, get_args

import structlog
from casino_agentkit import Waits
from casino_contracts import WaitReason
from casino_contracts.run_match import ERROR_LIMIT
from prometheus_client import CollectorRegistry, Counter, Gauge

from casino_match.domain.plan_file import is_function, is_remote
from casino_match.errors import (
    InvalidPlan,
    MatchError,
    MatchInterrupted,
    MatchSuspended,
    PlayerFailed,
    PlayerWrong,
)
from casino_match.executors.agent_session import NewClient, WithAgents
from casino_match.executors.executor import Executor
from casino_match.executors.worker_processes import WorkerProcesses
from casino_match.players.remote_calls import Pause, beside_loop
from casino_match.results.match_result import Seal
from casino_match.run.match_run import RunProgress, play_match
from casino_match.run.match_start import StartedMatch, changes
from casino_match.service.match_folder import LiveMatch

EndStatus = Literal["suspended", "complete", "failed"]

logger = structlog.get_logger(__name__)
Play = Callable[[LiveMatch], None]
_SUSPENDED: Final = (MatchSuspended, PlayerFailed, PlayerWrong, InvalidPlan)
"""After which the match may go on once the player is mended."""
_STOPPED: Final = "interrupted: the service was stopped; what is played stays"
_SECONDS_TO_END: Final = 8.0


class MatchMetrics:
    """The service's own metrics. No label is input of a caller.

    `waits` have what matches wait for, by their ids.
    """

    def __init__(self, registry: CollectorRegistry, waits: Waits) -> None:
        self._registry = registry
        self.waits = waits
        self._decks = Counter("casino_match_decks", "Decks that were played.", registry=registry)
        ended = Counter(
            "casino_match_runs",
            "Runs of matches that ended, by the status of the match then.",
            ["status"],
            registry=registry,
        )
        self._ended = {status: ended.labels(status) for status in get_args(EndStatus)}

    def played(self, decks: int) -> None:
        self._decks.inc(decks)

    def ended(self, status: EndStatus) -> None:
        self._ended[status].inc()

    def watch(self, running: Callable[[], int], queued: Callable[[], int]) -> None:
        """Register gauges, which are read on each scrape."""
        Gauge(
            "casino_match_running", "Matches that are played.", registry=self._registry
        ).set_function(running)
        Gauge(
            "casino_match_queued", "Matches that wait for others.", registry=self._registry
        ).set_function(queued)


class MatchQueue:
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
        places = self._at_once - len(self._running) + self._most_queued
        return len(self._queue) >= places

    def add(self, match: LiveMatch) -> None:
        match.queue()
        self._queue.append(match)
        self._begin()
        if match in self._queue:
            self._metrics.waits.begin(WaitReason.SERVICE_FULL, match.match_id)

    async def close(self) -> None:
        """End all runs: the matches are suspended, and what they have played stays."""
        self._is_closed = True
        while self._queue:
            queued = self._queue.popleft()
            self._metrics.waits.end(WaitReason.SERVICE_FULL, queued.match_id)
            queued.end("suspended", _STOPPED)
        for match in self._running:
            match.stop.set()
        if self._running:
            await asyncio.wait(self._running.values(), timeout=_SECONDS_TO_END)

    def _begin(self) -> None:
        while self._queue and len(self._running) < self._at_once and not self._is_closed:
            match = self._queue.popleft()
            self._metrics.waits.end(WaitReason.SERVICE_FULL, match.match_id)
            match.begin()
            logger.info("match_runs", match=match.match_id)
            self._running[match] = asyncio.create_task(self._run(match))

    async def _run(self, match: LiveMatch) -> None:
        status, error = await self._outcome(match)
        del self._running[match]
        self._metrics.waits.end(WaitReason.PLAYER_AWAY, match.match_id)
        self._metrics.ended(status)
        logger.info("match_ended", match=match.match_id, status=status, reason=error)
        match.end(status, error)
        self._begin()

    async def _outcome(self, match: LiveMatch) -> tuple[EndStatus, str | None]:
        try:
            await beside_loop(lambda: self._play(match))
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


@dataclass(frozen=True, slots=True)
class MatchWorker:
    """Plays matches in threads; `client` makes what calls agents, with the policy of addresses."""

    client: NewClient
    processes: int
    now: Callable[[], datetime]
    metrics: MatchMetrics
    seal: Seal

    def play(self, match: LiveMatch) -> None:
        """Play what a match lacks, and write its result, signed; raises MatchError."""
        plan, folder = match.written.plan, match.written.folder
        for entrant in plan.players:
            if is_function(entrant.player):
                raise InvalidPlan(f"{entrant.name} is a function of a file: casino match plays it")
        for change in changes(plan, folder, lambda entrant: entrant.version or ""):
            raise InvalidPlan(
                f"{change}. A match is played by one version of each player: restore it and call"
                " again, or plan another match, with another seed"
            )
        counted = 0

        def follow(progress: RunProgress) -> None:
            nonlocal counted
            self.metrics.played(progress.played - counted)
            counted = progress.played
            match.progress = progress

        started = StartedMatch(match.directory, match.written, is_resumed=True)
        result = play_match(
            started, self._executor(match), now=self.now, on_progress=follow, seal=self.seal
        )
        if result is None:
            raise MatchInterrupted("blocks of the match were deleted while it was played")

    def _executor(self, match: LiveMatch) -> Executor:
        plan = match.written.plan

        def lost(number: int, reason: str) -> None:
            logger.warning("block_lost", match=match.match_id, block=number, reason=reason)

        def paused(pause: Pause) -> None:
            waits = self.metrics.waits
            if pause.is_over:
                waits.end(WaitReason.PLAYER_AWAY, match.match_id)
            else:
                detail = f"{pause.name}: {pause.why}"
                waits.begin(WaitReason.PLAYER_AWAY, match.match_id, detail)

        if any(is_remote(entrant.player) for entrant in plan.players):
            return WithAgents(
                plan, match.written.folder, paused, client=self.client, stop=match.stop
            )
        return WorkerProcesses(min(self.processes, plan.blocks), lost, match.stop)
