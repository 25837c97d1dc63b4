"""A casino of real processes for tests, driven over REST like an operator's."""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from casino_agentkit import Child
from casino_contracts import RoomSnapshot, TableEvent

from support.table.table_side import CONFIG

TESTS = str(Path(__file__).parents[2])
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("CASINO_")},
    # Whatever is in front of the installed packages stays there, as in another checkout.
    "PYTHONPATH": os.pathsep.join(filter(None, (TESTS, os.environ.get("PYTHONPATH")))),
    "CASINO_LOBBY_TABLE_PORTS": "0",
    # Tests ask again and again until something is so; those of the limit set their own.
    "CASINO_LOBBY_COMMANDS_PER_MINUTE": "0",
}
GRACE = timedelta(seconds=20)


@asynccontextmanager
async def process(name: str, module: str, arguments: Sequence[str] = ()) -> AsyncIterator[Child]:
    """Run a service as a process, and end it."""
    child = await Child.start(name, module, arguments, environment=ENVIRONMENT)
    try:
        yield child
    finally:
        await child.stop(GRACE)


class ProcessCasino:
    """A lobby process and whatever was started beside it."""

    def __init__(self, lobby: Child, stack: AsyncExitStack, key: str | None = None) -> None:
        self.lobby = lobby
        headers = {"authorization": f"Bearer {key}"} if key else {}
        self.http = httpx.AsyncClient(base_url=lobby.url, timeout=30, headers=headers)
        self._stack = stack
        self._tables: list[str] = []

    async def host_tables(self, count: int) -> None:
        """Start one process of many tables for the rooms to come."""
        environment = {**ENVIRONMENT, "CASINO_TABLE_COUNT": str(count)}
        tables = await Child.start(
            "tables", "casino_table", ["--port", "0"], environment=environment
        )
        self._stack.push_async_callback(tables.stop, GRACE)
        self._tables = list(tables.cards)

    def take_table(self) -> str:
        """Return the card URL of a hosted table that is free."""
        return self._tables.pop()

    async def start(self, name: str, module: str, *arguments: str) -> Child:
        """Start one more process, ended with the casino."""
        return await self._stack.enter_async_context(process(name, module, arguments))

    async def sample(self, style: str) -> Child:
        """Start a sample player."""
        return await self.start(style, "casino_player_example", style, "--port", "0")

    async def open(self, room_id: str = "main", **config: Any) -> RoomSnapshot:
        """Open a room, on a table of `host_tables` or one that the lobby launches."""
        body: dict[str, Any] = {"roomId": room_id, "config": {**CONFIG, **config}}
        if self._tables:
            body["tableAgentCardUrl"] = self.take_table()
        reply = await self.http.post("/v1/rooms", json=body)
        assert reply.status_code == 201, reply.text
        return RoomSnapshot.model_validate_json(reply.content)

    async def seat(self, card_url: str, room_id: str = "main") -> httpx.Response:
        """Register a player."""
        body = {"agentCardUrl": card_url}
        return await self.http.post(f"/v1/rooms/{room_id}/players", json=body)

    async def room(self, room_id: str = "main") -> RoomSnapshot:
        """Read a room."""
        reply = await self.http.get(f"/v1/rooms/{room_id}")
        assert reply.status_code == 200, reply.text
        return RoomSnapshot.model_validate_json(reply.content)

    async def until(self, *statuses: str, room_id: str = "main") -> RoomSnapshot:
        """Wait until the room has one of these statuses or states."""
        while True:
            room = await self.room(room_id)
            assert room.summary is not None
            if room.summary.status in statuses or room.state in statuses:
                return room

    async def events(self, room_id: str = "main") -> list[TableEvent]:
        """Read all events."""
        events: list[TableEvent] = []
        while True:
            after = events[-1].sequence if events else 0
            url = f"/v1/rooms/{room_id}/events?after={after}&limit=5000"
            page = (await self.http.get(url)).json()["events"]
            if not page:
                return events
            events += [TableEvent.model_validate(event) for event in page]


@asynccontextmanager
async def live_casino(**settings: str) -> AsyncIterator[ProcessCasino]:
    """Run a lobby with settings of its own, and end everything."""
    async with AsyncExitStack() as stack:
        data = stack.enter_context(TemporaryDirectory())
        environment = {**ENVIRONMENT, "CASINO_LOBBY_DATA": data, **settings}
        lobby = await Child.start("lobby", "casino_lobby", ["--port", "0"], environment=environment)
        stack.push_async_callback(lobby.stop, GRACE)
        casino = ProcessCasino(lobby, stack, settings.get("CASINO_LOBBY_OPERATOR_TOKEN"))
        stack.push_async_callback(casino.http.aclose)
        yield casino
