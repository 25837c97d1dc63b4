"""Blocks with agents for programs without an event loop; also the versions of agents."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from casino_agentkit import AgentClient, HttpTransport

from casino_match.domain.block import Block
from casino_match.domain.plan import Entrant, Plan
from casino_match.play.remote_block import MatchWithAgents, match_with_agents, unseen
from casino_match.players.remote_card import read_version
from casino_match.players.remote_patience import OnPause

NewClient = Callable[[], AgentClient]


def _over_http() -> AgentClient:
    return AgentClient(HttpTransport())


def version_of_agent(entrant: Entrant, client: NewClient = _over_http) -> str:
    """Return the version of an agent now, for a plan; raises PlayerFailed."""

    async def read() -> str:
        reading = client()
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
        client: NewClient = _over_http,
    ) -> None:
        self._plan = plan
        self._folder = folder
        self._on_pause = on_pause
        self._new_client = client
        self._runner = asyncio.Runner()
        self._client: AgentClient | None = None
        self._match: MatchWithAgents | None = None

    def __enter__(self) -> Self:
        """Sign the agents up; raises as `match_with_agents`."""
        self._runner.__enter__()
        try:
            self._runner.run(self._open())
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close all connections."""
        if self._client is not None:
            self._runner.run(self._client.close())
        self._runner.close()

    def play(self, number: int) -> Block:
        """Play a block; raises as `MatchWithAgents.play`."""
        if self._match is None:
            raise RuntimeError("a match with agents is played within `with`")
        return self._runner.run(self._match.play(number))

    async def _open(self) -> None:
        self._client = self._new_client()
        self._match = await match_with_agents(
            self._plan, self._client, folder=self._folder, on_pause=self._on_pause
        )
