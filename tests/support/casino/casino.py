"""A casino, driven over REST as by an operator, whose parts are processes or run in this one.

async with process_casino() as casino:
    await casino.open("main", maxHands=10)
    for card in await casino.samples("caller", 2):
        await casino.seat(card)
    await casino.hands(3)
    await casino.lobby.kill()
    await casino.lobby.start()
    await casino.until("idle")
    await casino.audit()
"""

import contextlib
import ssl
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

import httpx
import psutil
from casino_contracts import RoomSnapshot, TableEvent

from support.casino.auditor import Auditor, RoomAudit
from support.casino.members import GRACE, Process
from support.processes import PATIENCE_S, eventually, is_gone, reserved_port
from support.table.table_side import CONFIG

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

_ASK_EVERY_S = 0.02
_PLAYERS = ("casino_player_example", "support.players.", "support.attack.")
"""Starts of the modules of players."""


class Casino:
    """A casino behind a REST client, wherever its lobby, tables and players run."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http

    async def open(self, room_id: str = "main", **config: Any) -> RoomSnapshot:
        return await self.open_room({"roomId": room_id, "config": {**CONFIG, **config}})

    async def open_room(self, body: Mapping[str, Any]) -> RoomSnapshot:
        reply = await self.http.post("/v1/rooms", json=body)
        assert reply.status_code == 201, reply.text
        return RoomSnapshot.model_validate_json(reply.content)

    async def play(
        self,
        room_id: str,
        game_type: str,
        cards: list[str],
        *,
        table: str | None = None,
        **config: Any,
    ) -> None:
        """Play a session of any game between these players to its end, at a table or at any."""
        rules = {**GAME_RULES, "maxSeats": max(2, len(cards)), **config}
        named = {} if table is None else {"tableAgentCardUrl": table}
        await self.open_room({"roomId": room_id, "gameType": game_type, "config": rules, **named})
        for card in cards:
            seated = await self.seat(card, room_id)
            assert seated.is_success, seated.text
        room = await self.room(room_id)
        if room.summary is None or room.summary.status == "waiting":
            await self.http.post(f"{path_of(room_id)}/start", json={})  # or it starts by itself
        await self._until_hands(rules["maxHands"], room_id)
        await self._until(("idle",), room_id)

    async def seat(self, card_url: str, /, room_id: str = "main", **more: Any) -> httpx.Response:
        """Register a player."""
        body = {"agentCardUrl": card_url, **more}
        return await self.http.post(f"{path_of(room_id)}/players", json=body)

    async def room(self, room_id: str = "main") -> RoomSnapshot:
        """Read a room, again while no lobby answers."""
        found: list[RoomSnapshot] = []

        async def is_read() -> bool:
            with contextlib.suppress(httpx.TransportError):
                reply = await self.http.get(path_of(room_id))
                if reply.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                    assert reply.status_code == 200, reply.text
                    found.append(RoomSnapshot.model_validate_json(reply.content))
            return bool(found)

        await eventually(is_read, every=_ASK_EVERY_S)
        return found[0]

    async def close(self, room_id: str = "main") -> None:
        """Close a room: an announced table that serves one waits until another takes it over."""
        reply = await self.http.delete(path_of(room_id))
        assert reply.is_success, reply.text
        await self._until(("closed",), room_id)

    async def until(self, *statuses: str, room_id: str = "main") -> RoomSnapshot:
        """Wait until the room has one of these statuses or states."""
        return await self._until(statuses, room_id)

    async def _until(self, statuses: Sequence[str], room_id: str) -> RoomSnapshot:
        rooms: list[RoomSnapshot] = []

        async def is_so() -> bool:
            rooms.append(room := await self.room(room_id))
            assert room.summary is not None
            return room.summary.status in statuses or room.state in statuses

        await eventually(is_so, every=_ASK_EVERY_S)
        return rooms[-1]

    async def until_epoch(self, epoch: int, room_id: str = "main") -> None:
        """Wait until a room has begun this epoch."""

        async def is_begun() -> bool:
            return ((await self.room(room_id)).epoch or 0) >= epoch

        await eventually(is_begun, every=_ASK_EVERY_S)

    async def count(self, room_id: str = "main") -> int:
        """Return how many hands a room has completed."""
        summary = (await self.room(room_id)).summary
        return summary.hand_count if summary else 0

    async def hands(self, more: int, room_id: str = "main") -> None:
        """Wait until a number of further hands is completed."""
        await self._until_hands(await self.count(room_id) + more, room_id)

    async def _until_hands(self, wanted: int, room_id: str) -> None:
        async def are_completed() -> bool:
            return await self.count(room_id) >= wanted

        await eventually(are_completed, every=_ASK_EVERY_S)

    async def events(self, room_id: str = "main", epoch: int | None = None) -> list[TableEvent]:
        """Read all events of an epoch, of the newest one by default."""
        of_epoch = "" if epoch is None else f"&epoch={epoch}"
        events: list[TableEvent] = []
        while True:
            after = events[-1].sequence if events else 0
            url = f"{path_of(room_id)}/events?after={after}&limit=5000{of_epoch}"
            page = (await self.http.get(url)).json()["events"]
            if not page:
                return events
            events += [TableEvent.model_validate(event) for event in page]

    async def outcomes(self, room_id: str = "main") -> dict[str, list[str]]:
        """Return the outcomes of each player's decisions."""
        found: dict[str, list[str]] = {}
        for event in await self.events(room_id):
            if event.event_type == "action_taken" and event.payload:
                found.setdefault(event.payload["playerId"], []).append(event.payload["outcome"])
        return found

    async def until_last(self, outcome: str, player_id: str, room_id: str = "main") -> None:
        """Wait until the newest decision of a player has this outcome.

        What has happened to a player is thus in the record, as a number of hands never is: those
        that are counted may have been on their way before.
        """

        async def is_so() -> bool:
            return (await self.outcomes(room_id)).get(player_id, [])[-1:] == [outcome]

        await eventually(is_so)

    async def audit(self, room_id: str = "main") -> RoomAudit:
        """Check a room as `casino audit` does: events, hands, chips; raises Irregular."""
        return await Auditor(self.http).read_room(room_id)


class ProcessCasino(Casino):
    """A lobby process, driven over REST, and the processes beside it; all may be killed.

    `before` ends before the lobby, which takes the last events of tables; `after` ends after it, as
    its tables finish their hands with the players. `key` is the operator's; `trust` is what its
    REST client trusts.
    """

    def __init__(
        self,
        lobby: Process,
        before: AsyncExitStack,
        after: AsyncExitStack,
        key: str | None = None,
        *,
        trust: ssl.SSLContext | bool = True,
    ) -> None:
        headers = {"authorization": f"Bearer {key}"} if key else {}
        super().__init__(
            httpx.AsyncClient(
                base_url=lobby.url,
                timeout=PATIENCE_S,
                headers=headers,
                trust_env=False,
                verify=trust,
            )
        )
        self.lobby = lobby
        self._before, self._after = before, after
        before.push_async_callback(self.http.aclose)
        self._tables: list[str] = []

    async def launched_table(self, after: psutil.Process | None = None) -> psutil.Process:
        """Wait for the one living table that the lobby has launched, in place of a dead one."""
        lobby = psutil.Process(self.lobby.pid)

        async def living() -> list[psutil.Process]:
            servers, below = lobby.children(), lobby.children(recursive=True)
            copies = [one for one in below if one not in (*servers, after)]
            return [one for one in copies if not is_gone(one.pid)]

        (table,) = await eventually(living)
        return table

    async def host_tables(
        self, count: int, *, grace: timedelta = GRACE, **settings: str
    ) -> Process:
        """Start one process of tables for the rooms that are opened next."""
        settings = {"CASINO_TABLE_COUNT": str(count), **settings}
        arguments = ["--port", str(reserved_port())]
        running = process("tables", "casino_table", arguments, settings=settings, grace=grace)
        tables = await self._before.enter_async_context(running)
        self._tables += tables.cards
        return tables

    def take_table(self) -> str:
        """Return the card URL of a free hosted table."""
        return self._tables.pop()

    async def start(self, name: str, module: str, *arguments: str, **settings: str) -> Process:
        """Start one more process, ended with the casino: players after the lobby."""
        running = process(name, module, arguments, settings=settings)
        stack = self._after if module.startswith(_PLAYERS) else self._before
        return await stack.enter_async_context(running)

    async def sample(self, style: str, *, name: str | None = None, **settings: str) -> Process:
        """Start a sample player that knows the lobby."""
        named = () if name is None else ("--name", name)
        settings = {"CASINO_PLAYER_LOBBY_URL": self.lobby.url, **settings}
        arguments = (style, "--port", str(reserved_port()), *named)
        return await self.start(style, "casino_player_example", *arguments, **settings)

    async def samples(self, style: str, count: int) -> list[str]:
        """Start one process of so many sample players; returns their cards."""
        return list((await self.sample(style, CASINO_PLAYER_COUNT=str(count))).cards)

    async def open(self, room_id: str = "main", **config: Any) -> RoomSnapshot:
        """Open a room, on a table of `host_tables` or one that the lobby launches."""
        body: dict[str, Any] = {"roomId": room_id, "config": {**CONFIG, **config}}
        if self._tables:
            body["tableAgentCardUrl"] = self.take_table()
        return await self.open_room(body)


def path_of(room_id: str) -> str:
    return f"/v1/rooms/{quote(room_id, safe='')}"


@asynccontextmanager
async def process(
    name: str,
    module: str,
    arguments: Sequence[str] = (),
    *,
    settings: Mapping[str, str] | None = None,
    grace: timedelta = GRACE,
    on_log: Callable[[str], None] = lambda _line: None,
) -> AsyncIterator[Process]:
    """Run a service as a process, and end it; `settings` are added to its environment."""
    running = Process(name, module, arguments, settings, on_log)
    await running.start()
    try:
        yield running
    finally:
        await running.stop(grace)


@asynccontextmanager
async def process_casino(
    *, trust: ssl.SSLContext | bool = True, **settings: str
) -> AsyncIterator[ProcessCasino]:
    """Run a lobby with these settings, and end everything that is started beside it."""
    with TemporaryDirectory() as data:
        settings = {"CASINO_LOBBY_DATA": data, **settings}
        arguments = ["--port", str(reserved_port())]
        lobby = process("lobby", "casino_lobby", arguments, settings=settings)
        key = settings.get("CASINO_LOBBY_OPERATOR_TOKEN")
        async with AsyncExitStack() as after, lobby as running, AsyncExitStack() as before:
            yield ProcessCasino(running, before, after, key, trust=trust)
