"""Two lobbies on one PostgreSQL, a process of tables and players, as processes."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from casino_contracts import RoomSnapshot

from support.casino.members import Log, Member
from support.casino.postgres import Postgres
from support.failover.shared_address import SharedAddress
from support.processes import eventually
from support.proxies.tcp_proxy import TcpProxy
from support.table.table_side import CONFIG

STYLES = ("caller", "random", "maniac")
ROOM = "main"
_RULES = {"maxHands": 10_000_000, "maxSeats": 3, "rebuy": "auto", "seed": "two lobbies"}
_PATIENCE_S = 60.0


class LobbyPair:
    """The processes; `first` is active at the beginning, `second` stands by.

    Each lobby reaches the database through a proxy of its own. Tables and players know only the
    address that the lobbies share.
    """

    def __init__(self, server: Postgres, data: Path) -> None:
        assert server.port is not None
        self.server = server
        self.journal = data / "tables" / "tables-1-of-1.journal"
        self.database_url = server.empty_url()
        if server.port is not None:
            self.database_url += f"&port={server.port}"
        self.log = Log(data / "log")
        self.to_database = {name: TcpProxy(server.port) for name in ("first", "second")}
        self.first = self._lobby("first", data)
        self.second = self._lobby("second", data)
        self.shared = SharedAddress([self.first.port, self.second.port])
        for lobby in (self.first, self.second):
            lobby.environment["CASINO_LOBBY_PUBLIC_URL"] = self.shared.url
        tables = {
            "CASINO_TABLE_DATA": str(data / "tables"),
            "CASINO_TABLE_LOBBY_URL": self.shared.url,
            "CASINO_TABLE_ANNOUNCE_EVERY": "1s",
        }
        self.tables = Member("tables", "casino_table", [], tables, self.log)
        thinking = {"CASINO_PLAYER_THINK": "3ms"}
        self.players = [
            Member(style, "casino_player_example", [style], thinking, self.log) for style in STYLES
        ]
        self.http = httpx.AsyncClient(base_url=self.shared.url, timeout=10, trust_env=False)

    def _lobby(self, name: str, data: Path) -> Member:
        port = int(self.to_database[name].url.rpartition(":")[2])
        settings = {
            "CASINO_LOBBY_DATA": str(data / name),
            "CASINO_LOBBY_DATABASE": self.server.url_at(port),
        }
        return Member(name, "casino_lobby", [], settings, self.log)

    async def play(self) -> None:
        """Open a room on an announced table and seat all players; the last seat starts it."""

        async def is_announced() -> bool:
            return bool((await self.http.get("/v1/tables")).json()["tables"])

        await eventually(is_announced)
        await self._post("/v1/rooms", {"roomId": ROOM, "config": {**CONFIG, **_RULES}})
        for player in self.players:
            await self._post(f"/v1/rooms/{ROOM}/players", {"agentCardUrl": player.url})

    async def _post(self, path: str, body: dict[str, Any]) -> None:
        reply = await self.http.post(path, json=body)
        assert reply.status_code == 201, reply.text

    async def room(self) -> RoomSnapshot | None:
        """Read the room; None while no lobby answers."""
        try:
            reply = await self.http.get(f"/v1/rooms/{ROOM}")
        except httpx.TransportError:
            return None
        if reply.status_code == httpx.codes.SERVICE_UNAVAILABLE:
            return None
        return RoomSnapshot.model_validate_json(reply.raise_for_status().content)

    async def hands(self) -> int:
        """Return how many hands are completed; waits for a lobby that answers."""
        async with asyncio.timeout(_PATIENCE_S):
            while (room := await self.room()) is None or room.summary is None:
                await asyncio.sleep(0.05)
        return room.summary.hand_count

    async def play_on(self, more: int) -> None:
        """Wait until a number of further hands is completed."""
        wanted = await self.hands() + more
        async with asyncio.timeout(_PATIENCE_S):
            while await self.hands() < wanted:
                await asyncio.sleep(0.05)


async def seconds_until_served(lobby: Member) -> float:
    """Wait until a lobby itself answers for the room; return how long that took."""
    began = time.monotonic()

    async def is_served() -> bool:
        try:
            return (await http.get(f"/v1/rooms/{ROOM}")).is_success
        except httpx.TransportError:
            return False

    async with httpx.AsyncClient(base_url=lobby.url, timeout=5, trust_env=False) as http:
        await eventually(is_served, seconds=_PATIENCE_S, every=0.02)
    return time.monotonic() - began


@asynccontextmanager
async def lobby_pair(server: Postgres, data: Path) -> AsyncIterator[LobbyPair]:
    """Run the processes, the second lobby in standby, and end them."""
    casino = LobbyPair(server, data)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(casino.http.aclose)
        for proxy in (*casino.to_database.values(), casino.shared):
            await proxy.start()
            stack.push_async_callback(proxy.stop)
        for member in (casino.first, casino.second, *casino.players, casino.tables):
            stack.push_async_callback(member.stop)
        await casino.first.start()
        async with asyncio.TaskGroup() as group:
            for member in (casino.second, *casino.players, casino.tables):
                group.create_task(member.start())
        yield casino
