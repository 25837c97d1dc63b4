"""The matches that are kept, a directory for each, by its id: as they are read, found and begun."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from casino_agentkit import CommandRefused, TimedOut, Unreachable, Violation
from casino_agentkit.process.private_file import make_private
from casino_contracts import Reason
from casino_contracts.match_results import MatchResult
from casino_contracts.run_match import MatchEstimate, MatchStatus

from casino_match.domain.plan import Entrant, Plan
from casino_match.domain.plan_file import is_remote
from casino_match.errors import InvalidPlan, PlayerFailed, StoreFailed
from casino_match.executors.executor import StopSignal
from casino_match.match_directory import MatchDirectory, WrittenPlan
from casino_match.players.remote_calls import gather_limited
from casino_match.run.match_run import RunProgress
from casino_match.run.match_start import with_versions
from casino_match.run.stored_match import StoredMatch
from casino_match.service.requested_match import RequestedMatch, is_match_id

_ACTIVE: Final = frozenset({"queued", "running"})

_INTERRUPTED = "interrupted: the service ended while the match was played or waited"
ReadVersion = Callable[[Entrant], Awaitable[str]]
"""Reads the version of an agent by its card; raises PlayerFailed, caused by an AgentError."""
_CARDS_AT_ONCE: Final = 4


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
    stop: StopSignal = field(default_factory=StopSignal)
    _over: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_active(self) -> bool:
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
        self.stop = StopSignal()
        self._over.clear()

    def begin(self) -> None:
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


class MatchFolder:
    """The folder of matches. Its methods read and write files, so threads call them."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def open(self) -> None:
        """Make the folder; raises StoreFailed."""
        try:
            make_private(self.path)
        except OSError as error:
            raise StoreFailed(f"{self.path} cannot be made: {error.strerror}") from error

    @property
    def is_there(self) -> bool:
        return self.path.is_dir()

    def count(self) -> int:
        """Return the number of matches that are kept; raises StoreFailed."""
        try:
            return sum(is_match_id(path.name) for path in self.path.iterdir())
        except OSError as error:
            raise StoreFailed(f"{self.path} cannot be read: {error.strerror}") from error

    def find(self, match_id: str) -> LiveMatch | None:
        """Return a match that is kept, as suspended or complete; raises StoreFailed."""
        directory = self._directory(match_id)
        written = directory.read_plan()
        if written is None:
            return None
        plan = written.plan
        blocks = directory.blocks(plan)
        decks = sum(len(plan.decks_of(each)) for each in range(plan.blocks) if blocks.has(each))
        if directory.read_result() is not None:
            return LiveMatch(match_id, directory, written, "complete", decks)
        return LiveMatch(match_id, directory, written, "suspended", decks, _INTERRUPTED)

    def begin(self, match_id: str, plan: Plan) -> LiveMatch:
        """Write a new match's plan, or return the match that has the id; raises StoreFailed."""
        directory = self._directory(match_id)
        there = directory.begin(WrittenPlan(plan, self.path))
        return LiveMatch(match_id, directory, there, "suspended")

    def result(self, match: LiveMatch) -> MatchResult:
        """Return the result of a complete match; raises StoreFailed."""
        result = StoredMatch(match.directory.path).written_result()
        if result is None:
            raise StoreFailed(f"{match.directory.result_file} was deleted; the same call makes it")
        return result

    def _directory(self, match_id: str) -> MatchDirectory:
        if not is_match_id(match_id):
            raise ValueError("not an id of a match")
        return MatchDirectory(self.path / match_id)


@dataclass(frozen=True)
class RequestStarter:
    """Begins matches that nobody has begun."""

    folder: MatchFolder
    read_version: ReadVersion
    draw_seed: Callable[[], str]
    most_kept: int

    async def begin(self, requested: RequestedMatch) -> LiveMatch:
        """Write a match's plan; raises StoreFailed and, with the reason, CommandRefused."""
        if await asyncio.to_thread(self.folder.count) >= self.most_kept:
            raise CommandRefused(
                Reason.TOO_MANY_MATCHES,
                f"This service keeps {self.most_kept} matches, as many as it may: its operator can"
                " move directories of complete ones out of its data directory, or set"
                " CASINO_MATCH_KEPT.",
            )
        versions = await self._versions(requested.plan)
        return await asyncio.to_thread(self._written, requested, versions)

    async def _versions(self, plan: Plan) -> dict[str, str]:
        async def read(agent: tuple[int, Entrant]) -> tuple[str, str]:
            number, entrant = agent
            try:
                return entrant.name, await self.read_version(entrant)
            except PlayerFailed as error:
                raise _refusal(number, error) from error

        agents = [each for each in enumerate(plan.players) if is_remote(each[1].player)]
        return dict(await gather_limited(read, agents, _CARDS_AT_ONCE))

    def _written(self, requested: RequestedMatch, versions: dict[str, str]) -> LiveMatch:
        plan = requested.with_seed(self.draw_seed)
        try:
            plan = with_versions(plan, self.folder.path, lambda entrant: versions[entrant.name])
        except (InvalidPlan, PlayerFailed) as error:
            raise CommandRefused(
                Reason.INVALID_PLAN, f"The match cannot begin. {error}."
            ) from error
        return self.folder.begin(requested.match_id, plan)


def _refusal(number: int, error: PlayerFailed) -> CommandRefused:
    cause = error.__cause__
    reason = Reason.AGENT_CONTRACT_VIOLATION
    if isinstance(cause, TimedOut):
        reason = Reason.AGENT_TIMED_OUT
    elif isinstance(cause, Unreachable):
        reason = Reason.AGENT_UNREACHABLE
    violation = Violation(f"plan.players.{number}.player", str(cause))
    return CommandRefused(reason, str(error), (violation,))
