"""Two casinos in the same state: one is called over the fast path, the other through the SDK."""

import asyncio
import json
import random
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from casino_agentkit import Service
from casino_agentkit.protocol import BODY_LIMIT, CARD_PATH
from casino_agentkit.server.server import bind
from casino_contracts import RoomKey
from casino_player_example.app import player_agent
from casino_player_example.styles.catalogue import decide_of
from fuzz.casino import SOON, serving
from fuzz.envelopes import SLOW, Written, fast, outcome_of
from fuzz.exchange import Exchange, Line
from fuzz.http_cases import Case, request
from fuzz.typed_calls import CALLS, AgentName, Places, TypedCall
from fuzz.values import mutated
from prometheus_client import CollectorRegistry
from pydantic import SecretStr
from starlette.types import ASGIApp, Receive, Scope, Send
from support.casino.casino_side import CasinoHarness

KEY, SECRET = "the-operator-key-of-the-twins", "secret"
_RIGHTS = RoomKey.of_epoch(SECRET, 1)
_STATES: tuple[tuple[AgentName, str], ...] = (("lobby", "listRooms"), ("table", "tableSummary"))
_READS = frozenset(read for _, read in _STATES)
_LOOKS, _PAUSE_S = 150, 0.02
"""How often two states are compared before a difference counts."""
_DELIVERY_LOOKS = 25
_TABLE = "/tables/1"
_TIMES = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z")
PLACES = Places(
    # A table tells its lobby of itself in its own time, so no state would be the same for sure.
    f"http://nowhere{CARD_PATH}",
    f"http://tables{_TABLE}{CARD_PATH}",
    f"http://ada{CARD_PATH}",
)
BASES: dict[AgentName, str] = {"lobby": "", "table": _TABLE, "player": ""}


class Switch:
    """ASGI application that is another one from time to time, behind a server that stays.

    A server that ends would end the streams of all others in this process: sse-starlette has one
    watch over them.
    """

    def __init__(self) -> None:
        self.app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on."""
        await self.app(scope, receive, send)


class Twin:
    """One of two equal casinos, served on sockets; it can begin anew."""

    def __init__(self) -> None:
        self._agents: dict[AgentName, tuple[Switch, Line]] = {}
        self._tables: Service
        self._stuck = 0.0
        """Events of its tables that nobody takes."""

    async def listen(self, stack: AsyncExitStack) -> None:
        """Serve its agents, for as long as `stack` is open."""
        for agent in BASES:
            switch, listener = Switch(), bind("127.0.0.1", 0)
            line = Line(listener.getsockname()[1])
            await stack.enter_async_context(serving(switch, listener, CollectorRegistry()))
            stack.push_async_callback(line.close)
            self._agents[agent] = switch, line

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Run a new casino behind the agents."""
        casino = CasinoHarness(
            tables=2,
            operator_token=SecretStr(KEY),
            launch_tables=False,
            signup_timeout=SOON,
            commands_per_minute=0,
            rooms=4,
            database="memory",
        )
        player = player_agent("Ada", "A sample player.", decide_of("tight"))
        casino.agent("ada", player)
        services = {"lobby": casino.lobby, "table": casino.tables, "player": Service({"": player})}
        self._tables, self._stuck = casino.tables, 0.0
        for agent, (switch, _) in self._agents.items():
            switch.app = services[agent].asgi()
        async with casino.tables.running(), casino.lobby.running():
            await casino.announce(1, 2)
            yield

    async def ask(self, agent: AgentName, way: Written, token: str) -> tuple[Case, Exchange]:
        """Send a call; returns what was sent and what came back."""
        headers = {**way.headers, "Authorization": f"Bearer {token}"} if token else way.headers
        data = request("POST", BASES[agent] + way.path, headers, way.body)
        case = Case(agent, "twins", (data,))
        return case, await self._agents[agent][1].exchange(case)

    async def deliver(self) -> None:
        """Wait for the tables' events: whether one comes before or after a call is chance.

        Events that nobody takes, since a table was given another lobby, are not waited for twice.
        """
        for _ in range(_DELIVERY_LOOKS):
            waiting = self._tables.registry.get_sample_value("casino_events_undelivered") or 0.0
            self._stuck = min(self._stuck, waiting)
            if waiting == self._stuck:
                return
            await asyncio.sleep(_PAUSE_S)
        self._stuck = waiting


class Difference(AssertionError):
    """Two ways of one call ended differently."""


class Pair:
    """Two twins, which are asked the same in different ways."""

    def __init__(self, one: Twin, other: Twin) -> None:
        self._fast, self._slow = one, other

    async def compare(self, rng: random.Random) -> list[tuple[Case, Exchange]]:
        """Make one call in two ways; returns the exchanges. Raises Difference."""
        agent: AgentName = rng.choice(("lobby", "table", "player"))
        call = CALLS[agent](rng, PLACES)
        if rng.random() < 0.75:
            call = call._replace(data=mutated(rng, call.data))
        token = rng.choice((KEY, KEY, "", _RIGHTS.table, "x"))
        if call.skill in {"recordGameEvent", "recordTableEvents"}:
            token = rng.choice((_RIGHTS.events, "", KEY))
        if call.skill == "closeTable":  # a table ends in its own time
            token = rng.choice(("", "x"))
        name, way = rng.choice(list(SLOW.items()))
        slow = way(call)
        if (len(fast(call).body) > BODY_LIMIT) is not (len(slow.body) > BODY_LIMIT):
            # Text within text needs more bytes, and only one of the two would be read.
            return []
        for _ in range(_LOOKS if call.skill in _READS else 1):
            quick = await self._fast.ask(agent, fast(call), token)
            slowly = await self._slow.ask(agent, slow, token)
            ends = _outcome(quick[1]), _outcome(slowly[1])
            if ends[0] == ends[1]:
                break
            await asyncio.sleep(_PAUSE_S)  # an event is still on its way
        else:
            raise _difference(f"{name} of {agent}.{call.skill}", ends, slowly[0])
        if call.skill not in _READS:
            await asyncio.gather(self._fast.deliver(), self._slow.deliver())
        if ends[0][0] == "data" and call.skill not in _READS:
            await self._become_equal(slowly[0])
        return [quick, slowly]

    async def _become_equal(self, after: Case) -> None:
        """Wait until both show the same state; raises Difference."""
        for agent, read in _STATES:
            await self._become_equal_in(agent, fast(TypedCall(read, {})), after)

    async def _become_equal_in(self, agent: AgentName, way: Written, after: Case) -> None:
        for _ in range(_LOOKS):
            one = await self._fast.ask(agent, way, KEY)
            other = await self._slow.ask(agent, way, KEY)
            ends = _outcome(one[1]), _outcome(other[1])
            if ends[0] == ends[1]:
                return
            await asyncio.sleep(_PAUSE_S)
        raise _difference(f"the state of the {agent} after a call", ends, after)


def _difference(what: str, ends: tuple[Any, Any], sent: Case) -> Difference:
    return Difference(
        f"{what}:\n  fast: {ends[0]!s:.1500}\n  SDK:  {ends[1]!s:.1500}\n"
        f"  sent: {sent.data!r:.4000}"
    )


def _outcome(found: Exchange) -> Any:
    if not found.responses:
        return "no answer", found.is_late, found.wrong
    response = found.responses[0]
    try:
        outcome = outcome_of(response.body, is_stream=response.media_type == "text/event-stream")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return "no outcome", response.status, str(error), response.body[:300]
    return json.loads(_TIMES.sub("<time>", json.dumps(outcome)))


class Twins:
    """The two, and what they listen on."""

    def __init__(self) -> None:
        self._two = Twin(), Twin()

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Listen."""
        async with AsyncExitStack() as stack:
            for twin in self._two:
                await twin.listen(stack)
            yield

    @asynccontextmanager
    async def pair(self) -> AsyncIterator[Pair]:
        """Run two new casinos, which do and say the same."""
        async with self._two[0].open(), self._two[1].open():
            yield Pair(*self._two)
