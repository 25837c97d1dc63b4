"""Begin a match: read the cards of its agents, and write its plan before the first card."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from casino_agentkit import AgentClient, CommandRefused, TimedOut, Unreachable, Violation
from casino_contracts import Reason

from casino_match.domain.plan import Entrant, Plan
from casino_match.domain.plan_file_entrants import is_remote
from casino_match.errors import InvalidPlan, PlayerFailed
from casino_match.players.remote_card import read_version
from casino_match.run.versions import with_versions
from casino_match.service.live_match import LiveMatch
from casino_match.service.planned import Wish
from casino_match.service.shelf import Shelf

ReadVersion = Callable[[Entrant], Awaitable[str]]
"""Reads the version of an agent by its card; raises PlayerFailed, caused by an AgentError."""
_CARDS_AT_ONCE: Final = 4


def versions_over(client: AgentClient) -> ReadVersion:
    """Return what reads the cards of agents with a client and its policy of addresses."""
    return lambda entrant: read_version(client, entrant)


@dataclass(frozen=True)
class Beginnings:
    """Begins matches that nobody has begun."""

    shelf: Shelf
    read_version: ReadVersion
    draw_seed: Callable[[], str]
    most_kept: int

    async def begin(self, wish: Wish) -> LiveMatch:
        """Return the match, whose plan is written.

        Raises StoreFailed, and CommandRefused: TOO_MANY_MATCHES, INVALID_PLAN, AGENT_….
        """
        if await asyncio.to_thread(self.shelf.count) >= self.most_kept:
            raise CommandRefused(
                Reason.TOO_MANY_MATCHES,
                f"This service keeps {self.most_kept} matches, as many as it may: its operator can"
                " move directories of complete ones out of its data directory, or set"
                " CASINO_MATCH_KEPT.",
            )
        versions = await self._versions(wish.plan)
        return await asyncio.to_thread(self._written, wish, versions)

    async def _versions(self, plan: Plan) -> dict[str, str]:
        """Return the versions of all agents by their names."""
        places = asyncio.Semaphore(_CARDS_AT_ONCE)

        async def read(number: int, entrant: Entrant) -> tuple[str, str]:
            async with places:
                try:
                    return entrant.name, await self.read_version(entrant)
                except PlayerFailed as error:
                    raise _refusal(number, error) from error

        agents = [
            asyncio.ensure_future(read(number, entrant))
            for number, entrant in enumerate(plan.players)
            if is_remote(entrant.player)
        ]
        try:
            return dict(await asyncio.gather(*agents))
        finally:
            for agent in agents:
                agent.cancel()

    def _written(self, wish: Wish, versions: dict[str, str]) -> LiveMatch:
        plan = wish.with_seed(self.draw_seed)
        try:
            plan = with_versions(plan, self.shelf.folder, lambda entrant: versions[entrant.name])
        except (InvalidPlan, PlayerFailed) as error:
            raise CommandRefused(
                Reason.INVALID_PLAN, f"The match cannot begin. {error}."
            ) from error
        return self.shelf.begin(wish.match_id, plan)


def _refusal(number: int, error: PlayerFailed) -> CommandRefused:
    cause = error.__cause__
    reason = Reason.AGENT_CONTRACT_VIOLATION
    if isinstance(cause, TimedOut):
        reason = Reason.AGENT_TIMED_OUT
    elif isinstance(cause, Unreachable):
        reason = Reason.AGENT_UNREACHABLE
    violation = Violation(f"plan.players.{number}.player", str(cause))
    return CommandRefused(reason, str(error), (violation,))
