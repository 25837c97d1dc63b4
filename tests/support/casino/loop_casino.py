"""A casino in the test's loop and on its time: a lobby, tables and players, no process.

async with loop_casino() as casino:
    await casino.open("main", "kuhn_poker")
    await casino.seat(casino.bot, "main")
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx
from casino_agentkit import HttpReply, Service, Unreachable
from casino_agentkit.server.serving import bind
from casino_contracts import (
    GameActionRequest,
    GameActionResponse,
    RoomSnapshot,
)
from casino_lobby.app import build_app as build_lobby
from casino_lobby.settings import LobbySettings
from casino_lobby.store import MemoryStore
from casino_play.turn import Clock
from casino_seats.clock import LoopClock
from casino_table.app import build_app as build_tables
from casino_table.settings import TableSettings

from support.casino.casino import GAME_RULES, Casino
from support.in_process import InProcessTransport
from support.listening import accepting
from support.players.any_player import AnyPlayer, wild
from support.processes import PATIENCE_S, eventually
from support.table.table_side import InProcessNetwork
from support.table.virtual_clock import VirtualClock

LOBBY, HOSTED, ANNOUNCED = "http://lobby", "http://hosted", "http://announced"
_TABLES = 100
RULES = {**GAME_RULES, "maxSeats": 2, "actionTimeoutMs": 5_000}


class TableClock(VirtualClock):
    """The time of the running loop, and today's date: bookings of long ago are forgotten."""

    timestamp = Clock.timestamp


class SeatsClock(LoopClock):
    """The clock of seats in the time of the running loop."""

    def now(self) -> float:
        """Return the loop's seconds."""
        return asyncio.get_running_loop().time()


class BreakableTransport(InProcessTransport):
    """Sends requests to applications of this process, which may go away."""

    def __init__(self) -> None:
        super().__init__()
        self._sent: dict[asyncio.Task[HttpReply], str] = {}

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float
    ) -> HttpReply:
        """Return the reply; raises Unreachable also when the application goes away."""
        sending = asyncio.ensure_future(super().send(method, url, headers, body, timeout_s))
        self._sent[sending] = url
        try:
            await asyncio.wait([sending])
            if sending.cancelled():
                raise Unreachable(url, "the connection broke")
            return sending.result()
        finally:
            sending.cancel()
            del self._sent[sending]

    def leave(self, origin: str) -> None:
        """Take an application away, and break the calls that wait for it."""
        del self.apps[origin]
        for sending, url in self._sent.items():
            if url.startswith(f"{origin}/"):
                sending.cancel()


async def thoughtful(request: GameActionRequest) -> GameActionResponse:
    """Take some time, in which the events of a room go their ways."""
    await TableClock().pass_time(0.1)
    return wild(request)


class LoopCasino(InProcessNetwork, Casino):
    """Services and players by their origins; the lobby listens at `url`, too, for its streams."""

    def __init__(self, announced: int, **lobby: Any) -> None:
        self.calls = BreakableTransport()
        InProcessNetwork.__init__(self, self.calls)
        Casino.__init__(self, httpx.AsyncClient())
        self._store = MemoryStore(20_000)
        clock, self._announced, self._taken = TableClock(), announced, 0
        settings = {
            "launch_tables": False,
            "announced_tables_per_origin": _TABLES,
            "commands_per_minute": 0,
            "streams_per_address": 0,
            **lobby,
        }
        self.lobby = build_lobby(
            LobbySettings.model_validate(settings),
            LOBBY,
            transport=self.transport,
            clock=clock.now,
            store=self._store,
        )
        self.serve(LOBBY, self.lobby)
        self.tables = [
            build_tables(settings, url, transport=self.transport, clock=clock)
            for settings, url in (
                (TableSettings(count=_TABLES), HOSTED),
                (TableSettings(count=announced, lobby_url=LOBBY), ANNOUNCED),
            )
        ]
        for service, url in zip(self.tables, (HOSTED, ANNOUNCED), strict=True):
            self.serve(url, service)
        self.bot = self.add("bot", AnyPlayer("Bot", thoughtful).agent())
        """The card of a player that plays any game."""
        self.url = ""

    def serve(self, origin: str, service: Service) -> None:
        self.transport.apps[origin] = service.asgi()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run lobby and tables."""
        listener = bind("127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        async with (
            self.lobby.running(),
            accepting(listener, self.lobby, None),
            self.tables[0].running(),
            self.tables[1].running(),
            httpx.AsyncClient(base_url=self.url, timeout=PATIENCE_S, trust_env=False) as self.http,
        ):
            await eventually(self._is_ready)
            yield

    async def _is_ready(self) -> bool:
        return len((await self.http.get("/v1/tables")).json()["tables"]) == self._announced

    def take_table(self) -> str:
        """Return the card URL of a free table that is not announced."""
        self._taken += 1
        return f"{HOSTED}/tables/{self._taken}/.well-known/agent-card.json"

    async def open(  # type: ignore[override]  # it plays any game
        self, room_id: str, game_type: str, **config: Any
    ) -> RoomSnapshot:
        """Open a room on a table of its own; it starts when its last seat is taken."""
        return await self.open_room(
            {
                "roomId": room_id,
                "gameType": game_type,
                "config": {**RULES, **config},
                "tableAgentCardUrl": self.take_table(),
            }
        )

    async def payloads(self, room_id: str, kind: str) -> list[dict[str, Any]]:
        return [one.payload or {} for one in await self.events(room_id) if one.event_type == kind]

    def seat_cards(self, room_id: str) -> list[str]:
        """Return the card URLs of a room's players."""
        room = self._store.room(room_id)
        assert room is not None
        return [agent.card_url for agent in room.agents.values()]


@asynccontextmanager
async def loop_casino(announced: int = 1, **lobby: Any) -> AsyncIterator[LoopCasino]:
    """Run a casino with so many announced tables; `lobby` are its settings."""
    casino = LoopCasino(announced, **lobby)
    async with casino.running():
        yield casino
