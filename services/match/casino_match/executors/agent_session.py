"""Blocks with agents for programs without an event loop: several hands are played at the same time.

Also the versions of agents.
"""

import asyncio
from asyncio import CancelledError
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, TypeVar

from casino_agentkit import AgentClient, HttpTransport

from casino_match.domain.block import PlayedBlock, block_to_json
from casino_match.domain.plan import Entrant, Plan
from casino_match.errors import MatchInterrupted
from casino_match.executors.executor import Job, Played, StopSignal
from casino_match.play.remote_block import MatchWithAgents, match_with_agents
from casino_match.players.remote_calls import OnPause, unseen
from casino_match.players.remote_card import read_version

ResultT = TypeVar("ResultT")
NewClient = Callable[[], AgentClient]


def over_http() -> AgentClient:
    return AgentClient(HttpTransport())


def version_of_agent(entrant: Entrant) -> str:
    """Return the version of an agent now, for a plan; raises PlayerFailed."""

    async def read() -> str:
        reading = over_http()
        try:
            return await read_version(reading, entrant)
        finally:
            await reading.close()

    return asyncio.run(read())


class BlocksWithAgents:
    """Plays blocks with agents for a program without an event loop: a context manager."""

    def __init__(
        self,
        plan: Plan,
        *,
        folder: Path = Path(),
        on_pause: OnPause = unseen,
        client: NewClient = over_http,
    ) -> None:
        self._plan = plan
        self._folder = folder
        self._on_pause = on_pause
        self._new_client = client
        self._runner = asyncio.Runner()
        self._work: asyncio.Task[Any] | None = None
        self._is_interrupted = False
        self._client: AgentClient | None = None
        self._match: MatchWithAgents | None = None

    def __enter__(self) -> Self:
        """Sign the agents up; raises as `match_with_agents`."""
        self._runner.__enter__()
        try:
            self._run(self._open())
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._client is not None:
            self._runner.run(self._client.close())
        self._runner.close()

    def play(self, number: int) -> PlayedBlock:
        if self._match is None:
            raise RuntimeError("a match with agents is played within `with`")
        return self._run(self._match.play(number))

    def interrupt(self) -> None:
        """Cancel the block that is played and later ones (CancelledError); from any thread."""
        self._is_interrupted = True
        work = self._work
        if work is not None:
            with suppress(RuntimeError):  # the loop is closed
                work.get_loop().call_soon_threadsafe(work.cancel)

    def _run(self, work: Coroutine[Any, Any, ResultT]) -> ResultT:
        async def interruptible() -> ResultT:
            self._work = task = asyncio.ensure_future(work)
            if self._is_interrupted:
                task.cancel()
            return await task

        return self._runner.run(interruptible())

    async def _open(self) -> None:
        self._client = self._new_client()
        self._match = await match_with_agents(
            self._plan, self._client, folder=self._folder, on_pause=self._on_pause
        )


@dataclass(frozen=True, slots=True)
class WithAgents:
    """Plays the blocks of a plan that has agents; they are signed up first."""

    plan: Plan
    folder: Path
    on_pause: OnPause
    client: NewClient = over_http
    """Makes what calls them, with its policy of addresses."""
    stop: StopSignal = field(default_factory=StopSignal)

    def play(self, job: Job, numbers: Iterable[int]) -> Played:
        """Yield each block; raises MatchSuspended too, and MatchInterrupted if stopped."""
        del job
        blocks = BlocksWithAgents(
            self.plan, folder=self.folder, on_pause=self.on_pause, client=self.client
        )
        with self.stop.calling(blocks.interrupt):
            try:
                with blocks as match:
                    for number in numbers:
                        yield number, block_to_json(match.play(number))
            except CancelledError:
                if self.stop.is_set:
                    raise MatchInterrupted("the run was stopped") from None
                raise
