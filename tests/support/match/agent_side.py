"""Agents in this process that play a match, and the plan of such a match."""

import random
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from casino_agentkit import Agent, Service
from casino_contracts import ActionResponse
from casino_contracts.hot.action_request import AnyActionRequest
from casino_match.domain.plan import Plan
from casino_match.play.remote_block import MatchWithAgents, match_with_agents
from casino_match.players.remote_patience import Pause
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from support.direct import DirectTransport
from support.players.any_player import AnyPlayer
from support.table.table_side import InProcessNetwork, Player
from support.table.virtual_clock import VirtualClock

SECRET = "secret of the tests"
CLOCK_MS = 30_000


def by_cards(request: AnyActionRequest) -> ActionResponse:
    """Decide by cards and chips alone: the same in the same seat, whatever the ids are."""
    cards = [card.text for card in (*request.hole_cards, *request.community_cards)]
    dice = random.Random(f"{cards} {request.pot} {request.to_call}")
    action = dice.choice(request.legal_actions)
    if action in {"bet", "raise"} and request.min_raise_to and request.max_raise_to:
        most = min(3 * request.min_raise_to, request.max_raise_to)
        amount = dice.randint(int(request.min_raise_to), int(most))
        return ActionResponse(action=action, amount=amount)
    return ActionResponse(action="call" if action == "all-in" and request.to_call else action)


def card_url(name: str) -> str:
    return f"http://{name}/.well-known/agent-card.json"


def plan_of(
    *players: str | Mapping[str, Any],
    decks: int = 4,
    rules: Mapping[str, Any] | None = None,
    faults: Mapping[str, Any] | None = None,
    **changes: Any,
) -> Plan:
    entrants = [
        {"name": player, "player": card_url(player)} if isinstance(player, str) else player
        for player in players
    ]
    return Plan.model_validate(
        {
            "players": entrants,
            "deal": {"seed": "a test's", "decks": decks, "decks_per_block": decks},
            "rules": {"clock": timedelta(milliseconds=CLOCK_MS), **(rules or {})},
            "faults": faults or {},
            **changes,
        }
    )


class MatchSide:
    """A network of agents, a clock that moves when somebody waits, and the pauses of a match."""

    def __init__(self, *players: Player | AnyPlayer) -> None:
        self.network = InProcessNetwork(DirectTransport())
        self.clock = VirtualClock()
        self.pauses: list[Pause] = []
        for player in players:
            self.serve(player.name, player.agent())

    def serve(self, name: str, agent: Agent) -> None:
        self.network.add(name, agent)

    def stop(self, name: str) -> None:
        """Let an agent be gone."""
        del self.network.transport.apps[f"http://{name}"]

    async def match(self, plan: Plan) -> MatchWithAgents:
        return await match_with_agents(
            plan,
            self.network.client(),
            clock=self.clock,
            on_pause=self.pauses.append,
            secret=SECRET,
        )


class Refusing:
    """Stands before an agent, and answers some of its questions with an error of HTTP.

    The first `after` questions reach it, the next `times` do not.
    """

    def __init__(self, side: MatchSide, player: Player, *, after: int, times: int) -> None:
        self._app = Service({"": player.agent()}).asgi()
        self._passed_on = after
        self.left = times
        self.status = 429
        self.retry_after = ""
        self.times: list[float] = []
        """When it refused, and when it was asked again."""
        self._clock = side.clock
        side.network.transport.apps[f"http://{player.name}"] = self._serve

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a call, or pass it on."""
        message = await receive()
        if b"legalActions" in message.get("body", b""):
            self._passed_on -= 1
            if self._passed_on < 0:
                self.times.append(self._clock.time)
            if self._passed_on < 0 < self.left:
                self.left -= 1
                headers = {"retry-after": self.retry_after} if self.retry_after else {}
                await Response(status_code=self.status, headers=headers)(scope, receive, send)
                return

        async def again() -> Message:
            return message

        await self._app(scope, again, send)
