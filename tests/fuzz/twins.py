"""Two casinos in the same state: one is called over the fast path, the other through the SDK."""

import asyncio
import json
import random
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from casino_agentkit import Service
from casino_agentkit.wire import CARD_PATH
from casino_contracts import RoomKey
from casino_player_example.app import player_agent
from casino_player_example.styles import decide_of
from pydantic import SecretStr
from support.casino_side import CasinoTown
from support.listening import listening

from fuzz.casino import LIMITS, SOON
from fuzz.envelopes import SLOW, Written, fast, outcome_of
from fuzz.exchange import Exchange, Line
from fuzz.http_cases import Case, request
from fuzz.typed_calls import CALLS, AgentName, Places, TypedCall
from fuzz.values import mutated

KEY, SECRET = "the-operator-key-of-the-twins", "secret"
_RIGHTS = RoomKey.of_epoch(SECRET, 1)
_READS = frozenset({"listRooms", "tableSummary"})
_EQUAL_WITHIN_S, _PAUSE_S = 3.0, 0.02
_TABLE = "/tables/1"
_TIMES = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z")
PLACES = Places(
    f"http://lobby{CARD_PATH}", f"http://tables{_TABLE}{CARD_PATH}", f"http://ada{CARD_PATH}"
)
BASES: dict[AgentName, str] = {"lobby": "", "table": _TABLE, "player": ""}


class Twin:
    """One of two equal casinos, served on sockets."""

    def __init__(self) -> None:
        self.town = CasinoTown(
            tables=2,
            operator_token=SecretStr(KEY),
            launch_tables=False,
            signup_timeout=SOON,
            commands_per_minute=0,
            rooms=4,
            database="memory",
        )
        player = player_agent("Ada", "A sample player.", decide_of("tight"))
        self.town.agent("ada", player)
        self._player = Service({"": player})
        self._lines: dict[AgentName, Line] = {}

    async def open(self, stack: AsyncExitStack) -> None:
        """Listen, and open a room."""
        services: dict[AgentName, Service] = {
            "table": self.town.tables,
            "lobby": self.town.lobby,
            "player": self._player,
        }
        for name, service in services.items():
            port = await stack.enter_async_context(listening(service, LIMITS))
            self._lines[name] = Line(port)
            stack.push_async_callback(self._lines[name].close)
        await self.town.announce(1, 2)

    async def ask(self, face: AgentName, way: Written, token: str) -> tuple[Case, Exchange]:
        """Send a call; returns what was sent and what came back."""
        headers = {**way.headers, "Authorization": f"Bearer {token}"} if token else way.headers
        data = request("POST", BASES[face] + way.path, headers, way.body)
        case = Case(face, "twins", (data,))
        return case, await self._lines[face].exchange(case)


class Difference(AssertionError):
    """Two ways of one call ended differently."""


class Pair:
    """Two twins, which are asked the same in different ways."""

    def __init__(self, one: Twin, other: Twin) -> None:
        self._fast, self._slow = one, other

    async def compare(self, rng: random.Random) -> list[tuple[Case, Exchange]]:
        """Make one call in two ways; returns both exchanges. Raises Difference."""
        face: AgentName = rng.choice(("lobby", "table", "player"))
        call = CALLS[face](rng, PLACES)
        if rng.random() < 0.75:
            call = call._replace(data=mutated(rng, call.data))
        token = rng.choice((KEY, KEY, "", _RIGHTS.table, "x"))
        if call.skill == "recordGameEvent":
            token = rng.choice((_RIGHTS.events, "", KEY))
        name, way = rng.choice(list(SLOW.items()))
        slow = way(call)
        async with asyncio.timeout(_EQUAL_WITHIN_S):
            while True:
                quick = await self._fast.ask(face, fast(call), token)
                slowly = await self._slow.ask(face, slow, token)
                ends = _outcome(quick[1]), _outcome(slowly[1])
                if ends[0] == ends[1]:
                    break
                if call.skill not in _READS:
                    raise _difference(f"{name} of {face}.{call.skill}", ends, slowly[0])
                await asyncio.sleep(_PAUSE_S)  # an event is still on its way
        if ends[0][0] == "data" and call.skill not in _READS:
            await self._become_equal()
        return [quick, slowly]

    async def _become_equal(self) -> None:
        """Wait until both show the same state; raises Difference."""
        for face, read in (("lobby", "listRooms"), ("table", "tableSummary")):
            await self._become_equal_in(face, fast(TypedCall(read, {})))

    async def _become_equal_in(self, face: AgentName, way: Written) -> None:
        for _ in range(int(_EQUAL_WITHIN_S / _PAUSE_S)):
            one, other = [await twin.ask(face, way, KEY) for twin in (self._fast, self._slow)]
            ends = _outcome(one[1]), _outcome(other[1])
            if ends[0] == ends[1]:
                return
            await asyncio.sleep(_PAUSE_S)
        raise _difference(f"the state of the {face} after a call", ends, other[0])


def _difference(what: str, ends: tuple[Any, Any], sent: Case) -> Difference:
    return Difference(
        f"{what}:\n  fast: {ends[0]!s:.1500}\n  SDK:  {ends[1]!s:.1500}\n  sent: {sent.data!r:.4000}"
    )


def _outcome(found: Exchange) -> Any:
    if not found.responses:
        return "no answer", found.is_late, found.wrong
    response = found.responses[0]
    try:
        told = outcome_of(response.body, is_stream=response.media_type == "text/event-stream")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return "no outcome", response.status, str(error), response.body[:300]
    return json.loads(_TIMES.sub("<time>", json.dumps(told)))


@asynccontextmanager
async def twins() -> AsyncIterator[Pair]:
    """Open two casinos that do and say the same."""
    async with AsyncExitStack() as stack:
        pair = Twin(), Twin()
        for twin in pair:
            await twin.open(stack)
        yield Pair(*pair)
