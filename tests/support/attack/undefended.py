"""Parts of a casino with one defence removed."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, TypeVar

from casino_agentkit import (
    ANYONE,
    Agent,
    Caller,
    CommandRefused,
    IdempotencyCache,
    KitReason,
    Service,
)
from casino_contracts import ActionRequest, ActionResponse, SignupInvitation, SignupResponse
from casino_lobby.access.lobby_rules import LobbyRules
from casino_lobby.domain.display_names import Granted
from casino_player_example.settings import PlayerSettings
from casino_player_example.style_catalogue import decide_of
from casino_table.table_agent import TableRules

RulesT = TypeVar("RulesT")


class OpenTable:
    """Makes a table's rules of which some admit everybody.

    `names` are attributes of `TableRules`: configuring, seating, playing, recording; or `summary`.
    """

    def __init__(self, *names: str) -> None:
        self._names = names

    def __call__(self, *given: Any) -> TableRules:
        kind = _TrustingTable if "summary" in self._names else TableRules
        return _opened(kind(*given), [name for name in self._names if name != "summary"])


class _TrustingTable(TableRules):
    """Shows the whole table to everybody between hands."""

    def shown(self, summary: Any, caller: Any) -> Any:  # noqa: ARG002
        return summary


class OpenLobby:
    """Makes the lobby's rules of which some admit everybody.

    `names` are attributes of `LobbyRules`: commanding, announcing, recording, contributing.
    """

    def __init__(self, *names: str) -> None:
        self._names = names

    def __call__(self, *given: Any, **more: Any) -> LobbyRules:
        return _opened(LobbyRules(*given, **more), self._names)


def _opened(rules: RulesT, names: Iterable[str]) -> RulesT:
    for name in names:
        assert hasattr(rules, name)
        setattr(rules, name, ANYONE)
    return rules


def open_player(name: str, style: str, think: timedelta, memory: IdempotencyCache) -> Agent:
    """Return a sample player that answers everybody."""
    agent = Agent(name, "A sample player.", tags=("casino", "player"), infers_skill=True)
    decide = decide_of(style)

    @agent.entrypoint("signup", who=ANYONE)
    async def signup(_invitation: SignupInvitation) -> SignupResponse:
        return SignupResponse(display_name=name)

    @agent.entrypoint("act", who=ANYONE, memory=memory)
    async def act(request: ActionRequest) -> ActionResponse:
        await asyncio.sleep(think.total_seconds())  # plays: a player that thinks
        return decide(request)

    return agent


class _NewestInvitations:
    """Admits to a table's questions only those with a seat token of its newest invitations."""

    scheme = None

    def __init__(self) -> None:
        self.tokens: dict[str, deque[str | None]] = defaultdict(lambda: deque(maxlen=_INVITATIONS))

    def admit(self, caller: Caller, message: Any) -> None:
        """Compare the caller's token; a table without an invitation is open."""
        tokens = self.tokens.get(message.table_id)
        if tokens and caller.token not in tokens:
            raise CommandRefused(KitReason.FORBIDDEN, "Send the seat token of an invitation.")


_INVITATIONS = 16


def obedient_player(name: str, url: str) -> Service:
    """Return a sample player whose invitations, which anybody may send, give rights at a table."""
    agent = Agent(name, "A sample player.", tags=("casino", "player"), infers_skill=True)
    decide, rule = decide_of("caller"), _NewestInvitations()

    @agent.entrypoint("signup", who=ANYONE)
    async def signup(invitation: SignupInvitation) -> SignupResponse:
        rule.tokens[invitation.table_id].append(invitation.seat_token)
        return SignupResponse(display_name=name)

    @agent.entrypoint("act", who=rule)
    async def act(request: ActionRequest) -> ActionResponse:
        return decide(request)

    settings = PlayerSettings.model_validate({"style": "caller"})
    return Service({"": agent}, guarded=lambda app: settings.guarded(app, url))


class AnyName:
    """A name book that grants every name."""

    def learn(self, owners: Mapping[str, str]) -> None:
        """Store nothing."""

    def grant(self, name: str, signer: str | None, taken: Iterable[str]) -> Granted:  # noqa: ARG002
        return Granted(name)
