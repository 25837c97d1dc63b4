"""A casino whose rooms are played at announced tables, which can be lost."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx
from casino_contracts import RoomSnapshot

from support.casino.members import Log, Member
from support.processes import PATIENCE_S
from support.table.table_side import CONFIG

PLAYERS = ("caller", "random", "maniac")
RULES = {"maxHands": 10_000_000, "maxSeats": 3, "rebuy": "auto"}
_POLL_S = 0.05


class FleetCasino:
    """A lobby that launches no tables, processes of tables that announce themselves, players."""

    def __init__(self, data: Path, silence_s: float, *, has_journals: bool) -> None:
        self.data = data
        self.lobby_data = data / "lobby"
        self.silence_s = silence_s
        data.mkdir(parents=True, exist_ok=True)
        self.log = Log(data / "log")
        self._has_journals = has_journals
        self.lobby = Member("lobby", "casino_lobby", [], {}, self.log)
        self.lobby.environment |= {
            "CASINO_LOBBY_DATA": str(self.lobby_data),
            "CASINO_LOBBY_LAUNCH_TABLES": "false",
            "CASINO_LOBBY_TABLE_SILENCE": f"{silence_s}s",
        }
        thinking = {"CASINO_PLAYER_THINK": "10ms"}
        self.players = [
            Member(style, "casino_player_example", [style], thinking, self.log) for style in PLAYERS
        ]
        self.tables: dict[str, Member] = {}
        """By the base URL of the process."""
        self.http = httpx.AsyncClient(base_url=self.lobby.url, timeout=30)

    def add_tables(self, name: str, count: int = 1) -> Member:
        """Return a further process of tables, not started."""
        member = Member(name, "casino_table", [], {}, self.log)
        member.environment |= {
            "CASINO_TABLE_COUNT": str(count),
            "CASINO_TABLE_LOBBY_URL": self.lobby.url,
            "CASINO_TABLE_ANNOUNCE_EVERY": "1s",
        }
        if self._has_journals:
            member.environment["CASINO_TABLE_DATA"] = str(self.data / name)
        self.tables[member.url] = member
        return member

    async def open(self, room_id: str) -> Member:
        """Open a room on a free table, seat all players, who begin; return the table's process."""
        body = {"roomId": room_id, "config": {**CONFIG, **RULES, "seed": room_id}}
        async with asyncio.timeout(PATIENCE_S):
            while True:
                opened = await self.http.post("/v1/rooms", json=body)
                if opened.status_code == 201:
                    break
                assert opened.json()["reason"] == "NO_TABLE", opened.text  # not announced yet
                await asyncio.sleep(_POLL_S)
        for player in self.players:
            seated = await self.http.post(
                f"/v1/rooms/{room_id}/players", json={"agentCardUrl": player.url}
            )
            assert seated.status_code == 201, seated.text
        return self.process_of(await self.room(room_id))

    def process_of(self, room: RoomSnapshot) -> Member:
        """Return the process that serves a room."""
        (process,) = (
            table
            for url, table in self.tables.items()
            if room.table_agent_card_url.startswith(f"{url}/")
        )
        return process

    async def room(self, room_id: str) -> RoomSnapshot:
        """Read a room."""
        reply = await self.http.get(f"/v1/rooms/{room_id}")
        return RoomSnapshot.model_validate_json(reply.raise_for_status().content)

    async def hands(self, room_id: str) -> int:
        """Return how many hands a room has completed."""
        room = await self.room(room_id)
        return room.summary.hand_count if room.summary else 0

    async def plays_on(self, room_id: str, more: int = 2) -> None:
        """Wait until a room has completed further hands."""
        wanted = await self.hands(room_id) + more
        async with asyncio.timeout(PATIENCE_S):
            while await self.hands(room_id) < wanted:
                await asyncio.sleep(_POLL_S)

    async def deals_in(self, room_id: str, epoch: int) -> float:
        """Wait until a hand is dealt in an epoch; return the time when it was."""
        page = f"/v1/rooms/{room_id}/events?epoch={epoch}&after=0&limit=50"
        async with asyncio.timeout(PATIENCE_S):
            while True:
                reply = await self.http.get(page)
                if reply.is_success and any(
                    event["eventType"] == "hand_started" for event in reply.json()["events"]
                ):
                    return time.monotonic()
                await asyncio.sleep(_POLL_S)


@asynccontextmanager
async def fleet_casino(
    data: Path, silence_s: float, *, has_journals: bool
) -> AsyncIterator[FleetCasino]:
    """Run lobby and players, and end them with all tables that were started."""
    casino = FleetCasino(data, silence_s, has_journals=has_journals)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(casino.http.aclose)
        for member in (*casino.players, casino.lobby):
            stack.push_async_callback(member.stop)
        async with asyncio.TaskGroup() as group:
            for member in (*casino.players, casino.lobby):
                group.create_task(member.start())
        try:
            yield casino
        finally:
            for table in casino.tables.values():
                await table.kill()
