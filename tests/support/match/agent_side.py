"""Agents in this process that play a match, how they fail, and what comes of it."""

import asyncio
import random
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from casino_agentkit import Agent, Service
from casino_contracts import ActionRequest, ActionResponse, Defaulted, Usage
from casino_match.domain.block import PlayedBlock
from casino_match.domain.plan import Plan
from casino_match.play.remote_block import MatchWithAgents, match_with_agents
from casino_match.players.remote_calls import Pause
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from support.direct import DirectTransport
from support.players.any_player import AnyPlayer
from support.players.holdem_players import illegal
from support.table.table_side import InProcessNetwork, Player
from support.table.virtual_clock import VirtualClock

SECRET = "secret of the tests"
QUICK = {"clock": timedelta(milliseconds=60)}
"""For agents that never answer."""


def by_cards(request: ActionRequest) -> ActionResponse:
    """Decide by cards and chips alone: the same in the same seat, whatever the ids are."""
    cards = [card.text for card in (*request.hole_cards, *request.community_cards)]
    dice = random.Random(f"{cards} {request.pot} {request.to_call}")
    action = dice.choice(request.legal_actions)
    if action in {"bet", "raise"} and request.min_raise_to and request.max_raise_to:
        most = min(3 * request.min_raise_to, request.max_raise_to)
        amount = dice.randint(int(request.min_raise_to), int(most))
        return ActionResponse(action=action, amount=amount)
    return ActionResponse(action="call" if action == "all-in" and request.to_call else action)


def defaulted(request: ActionRequest) -> ActionResponse:
    """Answer in the place of a model that did not: with what costs chips, and its words."""
    raising = [kind for kind in request.legal_actions if kind in {"all-in", "call"}]
    return ActionResponse(
        action=raising[-1] if raising else "check",
        defaulted=Defaulted(reason="model_failed", detail="401 Incorrect API key provided"),
        usage=Usage(model="small", input_tokens=100, cost_usd=0.01),
    )


def card_url(name: str) -> str:
    return f"http://{name}/.well-known/agent-card.json"


def plan_of(*players: str | Mapping[str, Any], decks: int = 4, **parts: Any) -> Plan:
    """Return a plan of agents, named by their hosts, and others; `parts` are its other tables."""
    entrants = [
        {"name": player, "player": card_url(player)} if isinstance(player, str) else player
        for player in players
    ]
    deal = {"seed": "a test's", "decks": decks, "decks_per_block": decks}
    rules = {"clock": timedelta(seconds=30), **parts.pop("rules", {})}
    return Plan.model_validate({"players": entrants, "deal": deal, "rules": rules, **parts})


class MatchSide:
    """A network of agents, a clock that moves when somebody waits, and the pauses of a match."""

    def __init__(self, *players: Player | AnyPlayer) -> None:
        self.network = InProcessNetwork(DirectTransport())
        self.clock = VirtualClock()
        self.pauses: list[Pause] = []
        self.resumed: list[str] = []
        """The players that answered again, after pauses."""
        for player in players:
            self.serve(player.name, player.agent())

    def serve(self, name: str, agent: Agent) -> None:
        self.network.add(name, agent)

    def stop(self, name: str) -> None:
        """Let an agent be gone."""
        del self.network.transport.apps[f"http://{name}"]

    def refusing(self, player: Player, *, after: int, times: int) -> "Refusing":
        """Let an agent refuse some questions."""
        refusing = Refusing(Service({"": player.agent()}).asgi(), lambda: self.clock.time)
        refusing.passed_on, refusing.left = after, times
        self.network.transport.apps[f"http://{player.name}"] = refusing
        return refusing

    def _note(self, pause: Pause) -> None:
        if pause.is_over:
            self.resumed.append(pause.name)
        else:
            self.pauses.append(pause)

    async def match(self, plan: Plan) -> MatchWithAgents:
        return await match_with_agents(
            plan,
            self.network.client(),
            clock=self.clock,
            on_pause=self._note,
            secret=SECRET,
        )


class Refusing:
    """Stands before an agent, and answers some of its questions with an error of HTTP."""

    def __init__(self, app: ASGIApp, now: Callable[[], float] = time.monotonic) -> None:
        self._app = app
        self._now = now
        self.passed_on = 10**9
        """So many questions reach the agent before it begins to refuse."""
        self.left = 0
        """So many it still refuses."""
        self.status = 429
        self.retry_after = ""
        self.times: list[float] = []
        """When it refused, and when it was asked again."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a call, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        message = await receive()
        if b"legalActions" in message.get("body", b""):
            self.passed_on -= 1
            if self.passed_on < 0:
                self.times.append(self._now())
            if self.passed_on < 0 < self.left:
                self.left -= 1
                headers = {"retry-after": self.retry_after} if self.retry_after else {}
                await Response(status_code=self.status, headers=headers)(scope, receive, send)
                return

        async def again() -> Message:
            return message

        await self._app(scope, again, send)


class Fails:
    """Decides by cards; question number `at` and the next ones fail in a way."""

    def __init__(self, way: str, at: int = 5, times: int = 1) -> None:
        self._way = way
        self._at = at
        self._times = times
        self.asked = 0

    async def __call__(self, request: ActionRequest) -> ActionResponse:
        self.asked += 1
        if self._at <= self.asked < self._at + self._times:
            if self._way == "hangs":
                await asyncio.Event().wait()
            if self._way == "defaults":
                return defaulted(request)
            return illegal(request)
        return by_cards(request)


def table_of(decide: Any) -> tuple[MatchSide, Player]:
    """Return the side of a match between an agent `a` that decides so, and a sound agent `b`."""
    player = Player("a", decide)
    return MatchSide(player, Player("b", by_cards)), player


async def undisturbed(plan: Plan) -> PlayedBlock:
    """Return the block of two sound agents."""
    return await (await table_of(by_cards)[0].match(plan)).play(0)


def outcomes(block: PlayedBlock) -> dict[Any, int]:
    """Return the outcomes of the first player's decisions."""
    return dict(block.conduct[0].outcomes)


def check_chips(block: PlayedBlock) -> None:
    """Check that every deck's results add up to 0."""
    assert all(sum(deck.net) == 0 for deck in block.decks)
