"""A casino of real processes, driven over REST as by an operator."""

import asyncio
import os
import ssl
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
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
    # Whatever the number of cores; tests of several processes set their own.
    "CASINO_TABLE_PROCESSES": "1",
}
GRACE = timedelta(seconds=20)
AT_ONCE = timedelta(0)
"""For tables whose events nobody takes: they would offer them for some time before they end."""
GAME_RULES = {
    "startingStack": 400,
    "smallBlind": 1,
    "bigBlind": 2,
    "minBuyIn": 40,
    "maxBuyIn": 400,
    "maxHands": 10,
    "rebuy": "auto",
}
"""Rules that every game can be played with."""


_PATIENCE_S = 90.0
_ASK_EVERY_S = 0.02
_PLAYERS = ("casino_player_example", "support.players.")
"""Starts of the modules of players."""


@asynccontextmanager
async def process(
    name: str,
    module: str,
    arguments: Sequence[str] = (),
    *,
    settings: Mapping[str, str] | None = None,
    grace: timedelta = GRACE,
    on_log: Callable[[str], None] = lambda _line: None,
) -> AsyncIterator[Child]:
    """Run a service as a process, and end it; `settings` are added to its environment.

    It is killed `grace` after it was asked to end.
    """
    environment = {**ENVIRONMENT, **(settings or {})}
    child = await Child.start(name, module, arguments, environment=environment, on_log=on_log)
    try:
        yield child
    finally:
        await child.stop(grace)


class ProcessCasino:
    """A lobby process, driven over REST, and the processes beside it.

    `before` ends before the lobby, which takes the last events of tables; `after` ends after it, as
    its tables finish their hands with the players. `key` is the operator's; `trust` is what its
    REST client trusts.
    """

    def __init__(
        self,
        lobby: Child,
        before: AsyncExitStack,
        after: AsyncExitStack,
        key: str | None = None,
        *,
        trust: ssl.SSLContext | bool = True,
    ) -> None:
        self.lobby = lobby
        headers = {"authorization": f"Bearer {key}"} if key else {}
        self.http = httpx.AsyncClient(
            base_url=lobby.url, timeout=30, headers=headers, trust_env=False, verify=trust
        )
        self._before, self._after = before, after
        before.push_async_callback(self.http.aclose)
        self._tables: list[str] = []

    async def host_tables(self, count: int, *, grace: timedelta = GRACE, **settings: str) -> Child:
        """Start one process of tables for the rooms that are opened next."""
        settings = {"CASINO_TABLE_COUNT": str(count), **settings}
        running = process("tables", "casino_table", ["--port", "0"], settings=settings, grace=grace)
        tables = await self._before.enter_async_context(running)
        self._tables += tables.cards
        return tables

    def take_table(self) -> str:
        """Return the card URL of a free hosted table."""
        return self._tables.pop()

    async def start(self, name: str, module: str, *arguments: str, **settings: str) -> Child:
        """Start one more process, ended with the casino: players after the lobby."""
        running = process(name, module, arguments, settings=settings)
        stack = self._after if module.startswith(_PLAYERS) else self._before
        return await stack.enter_async_context(running)

    async def sample(self, style: str, *, name: str | None = None, **settings: str) -> Child:
        """Start a sample player that knows the lobby."""
        named = () if name is None else ("--name", name)
        settings = {"CASINO_PLAYER_LOBBY_URL": self.lobby.url, **settings}
        return await self.start(
            style, "casino_player_example", style, "--port", "0", *named, **settings
        )

    async def samples(self, style: str, count: int) -> list[str]:
        """Start one process of so many sample players; returns their cards."""
        return list((await self.sample(style, CASINO_PLAYER_COUNT=str(count))).cards)

    async def open(self, room_id: str = "main", **config: Any) -> RoomSnapshot:
        """Open a room, on a table of `host_tables` or one that the lobby launches."""
        body: dict[str, Any] = {"roomId": room_id, "config": {**CONFIG, **config}}
        if self._tables:
            body["tableAgentCardUrl"] = self.take_table()
        reply = await self.http.post("/v1/rooms", json=body)
        assert reply.status_code == 201, reply.text
        return RoomSnapshot.model_validate_json(reply.content)

    async def play(self, room_id: str, game_type: str, cards: list[str], **config: Any) -> None:
        """Play a session of any game between these players to its end, at most 90 s."""
        rules = {**GAME_RULES, "maxSeats": max(2, len(cards)), **config}
        body = {"roomId": room_id, "gameType": game_type, "config": rules}
        opened = await self.http.post("/v1/rooms", json=body)
        assert opened.is_success, opened.text
        for card in cards:
            seated = await self.seat(card, room_id)
            assert seated.is_success, seated.text
        room = await self.room(room_id)
        if room.summary is None or room.summary.status == "waiting":
            await self.http.post(f"/v1/rooms/{room_id}/start", json={})  # or it starts by itself
        async with asyncio.timeout(_PATIENCE_S):
            while (room := await self.room(room_id)).summary is None or (
                room.summary.status != "idle" or room.summary.hand_count < rules["maxHands"]
            ):
                await asyncio.sleep(0.05)

    async def seat(self, card_url: str, room_id: str = "main") -> httpx.Response:
        """Register a player."""
        body = {"agentCardUrl": card_url}
        return await self.http.post(f"/v1/rooms/{room_id}/players", json=body)

    async def room(self, room_id: str = "main") -> RoomSnapshot:
        """Read a room."""
        reply = await self.http.get(f"/v1/rooms/{room_id}")
        assert reply.status_code == 200, reply.text
        return RoomSnapshot.model_validate_json(reply.content)

    async def close(self, room_id: str = "main") -> None:
        """Close a room: an announced table that serves one waits until another takes it over."""
        reply = await self.http.delete(f"/v1/rooms/{room_id}")
        assert reply.is_success, reply.text
        await self.until("closed", room_id=room_id)

    async def until(self, *statuses: str, room_id: str = "main") -> RoomSnapshot:
        """Wait until the room has one of these statuses or states."""
        while True:
            room = await self.room(room_id)
            assert room.summary is not None
            if room.summary.status in statuses or room.state in statuses:
                return room
            await asyncio.sleep(_ASK_EVERY_S)

    async def events(self, room_id: str = "main", epoch: int | None = None) -> list[TableEvent]:
        """Read all events of an epoch, of the newest one by default."""
        of_epoch = "" if epoch is None else f"&epoch={epoch}"
        events: list[TableEvent] = []
        while True:
            after = events[-1].sequence if events else 0
            url = f"/v1/rooms/{room_id}/events?after={after}&limit=5000{of_epoch}"
            page = (await self.http.get(url)).json()["events"]
            if not page:
                return events
            events += [TableEvent.model_validate(event) for event in page]


@asynccontextmanager
async def live_casino(
    *,
    trust: ssl.SSLContext | bool = True,
    **settings: str,
) -> AsyncIterator[ProcessCasino]:
    """Run a lobby with these settings, and end everything that is started beside it."""
    with TemporaryDirectory() as data:
        settings = {"CASINO_LOBBY_DATA": data, **settings}
        lobby = process("lobby", "casino_lobby", ["--port", "0"], settings=settings)
        key = settings.get("CASINO_LOBBY_OPERATOR_TOKEN")
        async with AsyncExitStack() as after, lobby as running, AsyncExitStack() as before:
            yield ProcessCasino(running, before, after, key, trust=trust)
