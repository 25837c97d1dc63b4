"""A casino of real processes that is attacked while it plays, with everything it wrote."""

import asyncio
import json
import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from casino.attack.catalogue import ATTACKS
from casino.attack.engine import Result
from casino_agentkit import Child
from casino_agentkit.protocol import CARD_PATH
from casino_contracts import HandRecord, RoomKey, TableEvent, seat_token
from casino_games.shuffle import derive_seed

from support.attack.attacker import attacked, target_at
from support.casino.live import ENVIRONMENT, GRACE
from support.processes import eventually
from support.table.table_side import CONFIG

OPERATOR_KEY, FLEET_KEY = "planted-operator-key-7c1e", "planted-fleet-key-90ab31"
SEED = "planted-seed-of-the-room"
ROOM, CLOSED_ROOM = "green", "old"
STYLES = ("tight", "caller", "random")
_RULES: dict[str, Any] = {**CONFIG, "maxHands": 100_000, "maxSeats": 5, "rebuy": "auto"}
_STREAM_S = 2.0
_PATHS = os.pathsep.join([ENVIRONMENT["PYTHONPATH"], *filter(None, [os.environ.get("PYTHONPATH")])])


def player_key(style: str) -> str:
    """Return the key of a sample player."""
    return f"planted-key-of-player-{style}"


@dataclass
class Secrets:
    """Secrets that the test set or the casino made, by name."""

    values: dict[str, str] = field(default_factory=dict)

    def found_in(self, text: str) -> list[str]:
        """Return the names of the secrets that stand in a text."""
        return [name for name, value in self.values.items() if value in text]


class Siege:
    """The processes, their logs, the bytes that the attacker received, and the outcomes."""

    def __init__(self, stack: AsyncExitStack, data: Path) -> None:
        self._stack = stack
        self.data = data
        self.logs: list[str] = []
        self.heard: list[bytes] = []
        self.results: list[Result] = []
        self.events: list[TableEvent] = []
        self.records: dict[str, HandRecord] = {}
        """Of all hands that were completed, by their id."""
        self.player_cards: list[str] = []
        """As anybody may know them."""
        self.registered_cards: list[str] = []
        """The same players by addresses that hold their keys."""
        self.hands_before = 0
        self.seated_after: list[str] = []
        """The names at the table as soon as the attack was over."""
        self.lobby: Child
        self.http: httpx.AsyncClient
        self.environment = {**ENVIRONMENT, "PYTHONPATH": _PATHS, "CASINO_LOBBY_DATA": str(data)}

    @property
    def outcomes(self) -> dict[str, Result]:
        """How the attacks ended, by their names."""
        return {one.attack.name: one for one in self.results}

    async def open(self) -> None:
        """Start everything and play."""
        keys = {
            "CASINO_LOBBY_OPERATOR_TOKEN": OPERATOR_KEY,
            "CASINO_LOBBY_FLEET_KEY": FLEET_KEY,
            "CASINO_LOBBY_LOG_LEVEL": "DEBUG",
        }
        self.lobby = await self.start("casino_lobby", **keys)
        self.http = await self._stack.enter_async_context(
            httpx.AsyncClient(
                base_url=self.lobby.url,
                headers={"authorization": f"Bearer {OPERATOR_KEY}"},
                trust_env=False,
                timeout=60,
            )
        )
        opening = [
            self._open_rooms(),
            *(self._start_player(style) for style in STYLES),
        ]
        await asyncio.gather(*opening)
        for card in self.registered_cards:
            await self.post(f"/v1/rooms/{ROOM}/players", agentCardUrl=card)
        await self.post(f"/v1/rooms/{ROOM}/start")
        await self.start(
            "casino_table",
            CASINO_TABLE_LOBBY_URL=self.lobby.url,
            CASINO_TABLE_FLEET_KEY=FLEET_KEY,
        )
        await eventually(self._has_free_table)
        await self.plays_on(2)

    async def attack(self) -> None:
        """Run every attack while the game goes on, then read what was played."""
        self.hands_before = await self.hands()
        async with target_at(
            self.lobby.url, self.player_cards, operator_key=OPERATOR_KEY, heard=self.heard.append
        ) as target:
            self.results = await attacked(target, ROOM, ATTACKS)
        room = (await self.http.get(f"/v1/rooms/{ROOM}")).json()
        self.seated_after = [seat["displayName"] for seat in room["summary"]["players"]]
        await self.plays_on(2)
        self.events = await self._events()
        for event in self.events:
            if event.event_type == "hand_completed" and event.hand_id:
                number = event.hand_id.rpartition("/")[2]
                reply = await self.http.get(f"/v1/rooms/{ROOM}/hands/{number}/record")
                record = HandRecord.model_validate_json(reply.raise_for_status().content)
                self.records[event.hand_id] = record

    async def start(self, module: str, *arguments: str, **settings: str) -> Child:
        """Start a process on a free port; its log is kept."""
        child = await Child.start(
            module,
            module,
            [*arguments, "--port", "0"],
            environment={**self.environment, **settings},
            on_log=self.logs.append,
        )
        self._stack.push_async_callback(child.stop, GRACE)
        return child

    async def post(self, path: str, **body: Any) -> dict[str, Any]:
        """Send a command as the operator."""
        reply = await self.http.post(path, json=body)
        assert reply.is_success, reply.text
        answer: dict[str, Any] = reply.json()
        return answer

    async def hands(self) -> int:
        """Return how many hands were completed."""
        count: int = (await self.http.get(f"/v1/rooms/{ROOM}")).json()["summary"]["handCount"]
        return count

    async def plays_on(self, hands: int) -> None:
        """Wait until so many more hands are completed."""
        wanted = await self.hands() + hands

        async def are_played() -> bool:
            return await self.hands() >= wanted

        await eventually(are_played, seconds=90)

    async def stream(self, path: str) -> str:
        """Return what a stream sends within a moment."""
        received = b""
        try:
            async with asyncio.timeout(_STREAM_S), self.http.stream("GET", path) as reply:
                async for chunk in reply.aiter_bytes():
                    received += chunk
        except TimeoutError:
            pass
        return received.decode(errors="replace")

    def secrets(self) -> Secrets:
        """Return every secret of this casino, read out of its own database and environment."""
        found = Secrets({"operator key": OPERATOR_KEY, "fleet key": FLEET_KEY, "seed": SEED})
        database = sqlite3.connect(f"file:{self.data / 'casino.db'}?mode=ro", uri=True)
        try:
            rooms = [json.loads(row[0]) for row in database.execute("select content from room")]
        finally:
            database.close()
        for room in rooms:
            self._add_room(found, room)
        for number in range(1, len(self.records) + 1):
            found.values[f"seed of hand {number}"] = derive_seed(SEED, "hand", str(number))
        for style in STYLES:
            found.values[f"key of {style}"] = player_key(style)
        found.values["launch key"] = self._launch_key()
        return found

    def _add_room(self, found: Secrets, room: dict[str, Any]) -> None:
        name, secret = room["room_id"], room["secret"]
        found.values[f"secret of {name}"] = secret
        for epoch in (room["epoch"], room["epoch"] + 1):
            key = RoomKey.of_epoch(secret, epoch)
            found.values[f"key of {name}, epoch {epoch}"] = key.secret
            found.values[f"table right of {name}, epoch {epoch}"] = key.table
            found.values[f"events right of {name}, epoch {epoch}"] = key.events
        for number in range(1, 10):
            token = seat_token(secret, f"player-{number}")
            found.values[f"seat token of player-{number} in {name}"] = token

    def _launch_key(self) -> str:
        """Return the key that the lobby gave the table which it launched."""
        children = Path(f"/proc/{self.lobby.pid}/task/{self.lobby.pid}/children").read_text()
        for pid in children.split():
            environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            for line in environment:
                if line.startswith(b"CASINO_TABLE_FLEET_KEY="):
                    return line.partition(b"=")[2].decode()
        raise AssertionError("the lobby launched no table with a key")

    async def _open_rooms(self) -> None:
        rules = {**_RULES, "seed": SEED}
        await self.post("/v1/rooms", roomId=CLOSED_ROOM, config=rules)
        await self.post(f"/v1/rooms/{CLOSED_ROOM}/close")
        await self.post("/v1/rooms", roomId=ROOM, config=rules)

    async def _start_player(self, style: str) -> None:
        settings = {"CASINO_PLAYER_THINK": "100ms", "CASINO_PLAYER_KEY": player_key(style)}
        player = await self.start("casino_player_example", style, **settings)
        self.player_cards.append(player.url + CARD_PATH)
        self.registered_cards.append(player.cards[0])

    async def _has_free_table(self) -> bool:
        tables = (await self.http.get("/v1/tables")).json()["tables"]
        return any("roomId" not in table for table in tables)

    async def _events(self) -> list[TableEvent]:
        events: list[TableEvent] = []
        while True:
            after = events[-1].sequence if events else 0
            query = {"after": after or 0, "limit": 5000, "epoch": 1}
            reply = await self.http.get(f"/v1/rooms/{ROOM}/events", params=query)
            page = reply.raise_for_status().json()["events"]
            if not page:
                return events
            events += [TableEvent.model_validate(event) for event in page]


@asynccontextmanager
async def siege() -> AsyncIterator[Siege]:
    """Start a casino of processes and attack it."""
    async with AsyncExitStack() as stack:
        data = Path(stack.enter_context(TemporaryDirectory()))
        opened = Siege(stack, data)
        await opened.open()
        await opened.attack()
        yield opened
        await opened.post(f"/v1/rooms/{ROOM}/close")  # the players answer to the last hand
