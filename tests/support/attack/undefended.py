"""Parts of a casino with one defence removed, for arenas."""

import asyncio
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from casino_agentkit import ANYONE, Agent, IdempotencyCache
from casino_agentkit.idempotency import RequestId
from casino_contracts import ActionRequest, ActionResponse, SignupInvitation, SignupResponse
from casino_lobby.access.rules import LobbyRules
from casino_lobby.domain.names import Granted
from casino_player_example.styles.catalogue import decide_of
from casino_table.rules import TableRules
from casino_table.service import TableService


class OpenTable:
    """Makes a table's rules of which some admit everybody.

    `names` are attributes of `TableRules`: configuring, playing, recording; or `summary`.
    """

    def __init__(self, *names: str) -> None:
        self._names = names

    def __call__(self, host: TableService, fleet_key: str | None) -> TableRules:
        """Return the rules of one table."""
        kind = _TrustingTable if "summary" in self._names else TableRules
        rules = kind(host, fleet_key)
        for name in self._names:
            if name != "summary":
                assert hasattr(rules, name)
                setattr(rules, name, ANYONE)
        return rules


class _TrustingTable(TableRules):
    """Shows the whole table to everybody between hands."""

    def is_trusted(self, caller: Any) -> bool:  # noqa: ARG002
        """Trust everybody."""
        return True


class OpenLobby:
    """Makes the lobby's rules of which some admit everybody.

    `names` are attributes of `LobbyRules`: commanding, announcing, recording.
    """

    def __init__(self, *names: str) -> None:
        self._names = names

    def __call__(self, *given: Any, **more: Any) -> LobbyRules:
        """Return the rules."""
        rules = LobbyRules(*given, **more)
        for name in self._names:
            assert hasattr(rules, name)
            setattr(rules, name, ANYONE)
        return rules


class SharedMemory(IdempotencyCache):
    """Returns to everybody the answer that another caller got."""

    def _sent(self, skill: str, request_id: str) -> RequestId:
        """Return what identifies a question, without its caller."""
        return RequestId(skill, request_id, "")


def open_player(name: str, style: str, think: timedelta, memory: IdempotencyCache) -> Agent:
    """Return a sample player that answers everybody."""
    agent = Agent(name, "A sample player.", tags=("casino", "player"), infers_skill=True)
    decide = decide_of(style)

    @agent.entrypoint("signup", who=ANYONE)
    async def signup(_invitation: SignupInvitation) -> SignupResponse:
        """Accept every invitation."""
        return SignupResponse(display_name=name)

    @agent.entrypoint("act", who=ANYONE, memory=memory)
    async def act(request: ActionRequest) -> ActionResponse:
        """Decide one turn."""
        await asyncio.sleep(think.total_seconds())
        return decide(request)

    return agent


class AnyName:
    """A name book that grants every name."""

    def learn(self, owners: Mapping[str, str]) -> None:
        """Store nothing."""

    def grant(self, name: str, signer: str | None, taken: Iterable[str]) -> Granted:  # noqa: ARG002
        """Return the requested name."""
        return Granted(name)
