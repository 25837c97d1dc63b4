"""What REST says of deleted hands and of archived rooms."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from casino_lobby.domain.room import Room
from casino_lobby.store import SqlStore, StoredHand
from casino_lobby.store.sql_hands import SqlHands
from pydantic import SecretStr
from support.casino.casino_side import CasinoHarness
from support.casino.store_side import delete_hands, played
from support.casino.streams import stream_events
from support.processes import eventually

TOKEN = "open-sesame"
FIRST = 3 + 50 * 4
"""How many events are before the newest 100 of 150 hands."""


class RacingHands(SqlHands):
    """Deletes old hands of a store right after one was found."""

    def __init__(self, store: SqlStore) -> None:
        super().__init__(store.database, store.unreadable)
        self._store = store

    async def find(self, room: Room, number: int, epoch: int | None = None) -> StoredHand | None:
        """Return a hand, and delete all but a hundred."""
        found = await super().find(room, number, epoch)
        await delete_hands(self._store, room, 100)
        return found


class Racing(SqlStore):
    """A store that deletes old hands right after it has found one."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.hands = RacingHands(self)


class KeptLobby:
    def __init__(self, home: Path, kind: type[SqlStore] = SqlStore) -> None:
        self.store = kind(f"sqlite+aiosqlite:///{home}/casino.db")
        self.harness = CasinoHarness(
            store=self.store, operator_token=SecretStr(TOKEN), keep_hands=100
        )
        self.http: httpx.AsyncClient = self.harness.http(TOKEN)

    async def get(self, path: str) -> Any:
        reply = await self.http.get(f"/v1/rooms{path}")
        assert reply.status_code == 200, reply.text
        return reply.json()

    async def refusal(self, method: str, path: str, body: Any = None) -> tuple[int, str]:
        reply = await self.http.request(method, f"/v1/rooms{path}", json=body)
        return reply.status_code, reply.json().get("reason", "")

    async def archived_room(self) -> Room:
        """Play three hands in a room, close it and archive it."""
        room, factory = await played(self.store, hands=3)
        await self.store.record(room, [factory.status("closed", "idle")])
        room.close("over")
        await self.store.archive(room)
        return room


@pytest.fixture
async def lobby(tmp_path: Path) -> AsyncIterator[KeptLobby]:
    made = KeptLobby(tmp_path)
    async with made.harness.lobby.running():
        yield made


async def test_pages_say_what_is_deleted(lobby: KeptLobby) -> None:
    room, _ = await played(lobby.store, hands=150)
    for path in ("/r1/events", "/r1/hands"):
        assert "keptFrom" not in await lobby.get(path)
    await delete_hands(lobby.store, room, 100)
    kept_from = {"epoch": 1, "sequence": FIRST + 1}
    events = await lobby.get("/r1/events?limit=2")
    assert [event["sequence"] for event in events["events"]] == [FIRST + 1, FIRST + 2]
    assert (events["keptFrom"], events["lastSequence"]) == (kept_from, FIRST + 2)
    for order, first in (("oldest", 51), ("newest", 150)):
        hands = await lobby.get(f"/r1/hands?order={order}&limit=1")
        assert [hand["handNumber"] for hand in hands["hands"]] == [first]
        assert hands["keptFrom"] == kept_from
    assert len((await lobby.get("/r1/hands?limit=1000"))["hands"]) == 100


async def test_a_deleted_hand_is_not_found(lobby: KeptLobby) -> None:
    room, _ = await played(lobby.store, hands=150)
    await delete_hands(lobby.store, room, 100)
    for path in ("/r1/hands/50", "/r1/hands/50/record"):
        assert await lobby.refusal("GET", path) == (404, "HAND_NOT_FOUND")
    hand = await lobby.get("/r1/hands/51")
    assert [event["sequence"] for event in hand["events"]] == [FIRST + n for n in (1, 2, 3, 4)]


async def test_a_hand_that_is_deleted_while_it_is_read_is_not_found(tmp_path: Path) -> None:
    """It never lacks events."""
    lobby = KeptLobby(tmp_path, Racing)
    async with lobby.harness.lobby.running():
        await played(lobby.store, hands=150)
        assert await lobby.refusal("GET", "/r1/hands/50") == (404, "HAND_NOT_FOUND")
        assert (await lobby.get("/r1/hands/51"))["hand"]["handNumber"] == 51


async def test_an_archived_room_can_be_read(lobby: KeptLobby) -> None:
    open_room = await played(lobby.store, "r2", hands=1)
    room = await lobby.archived_room()
    snapshot = await lobby.get("/r1")
    assert snapshot["archivedAt"].endswith("Z")
    assert (snapshot["state"], snapshot["summary"]["handCount"]) == ("closed", 3)
    assert [event["sequence"] for event in snapshot["events"]] == list(range(1, 17))
    assert "archivedAt" not in await lobby.get(f"/{open_room[0].room_id}")
    assert len((await lobby.get("/r1/events"))["events"]) == room.last_sequence == 16
    hands = (await lobby.get("/r1/hands"))["hands"]
    assert [hand["handNumber"] for hand in hands] == [1, 2, 3]
    assert hands[-1]["stacks"] == [
        {"playerId": "p0", "stack": 203},
        {"playerId": "p1", "stack": 197},
    ]
    assert (await lobby.get("/r1/hands/2"))["hand"] == hands[1]
    standings = (await lobby.get("/r1/standings"))["players"]
    assert [(line["net"], line["hasLeft"]) for line in standings] == [(3, True), (-3, True)]
    assert (await lobby.get("/r1/series"))["hands"] == 3
    stream = stream_events((await lobby.http.get("/v1/rooms/r1/stream")).text)
    assert [event.name for event in stream] == ["snapshot", "room_closed"]
    assert (await lobby.http.get("/ui/rooms/r1")).json()["ok"] is True


async def test_an_archived_room_takes_no_commands(lobby: KeptLobby) -> None:
    await lobby.archived_room()
    card = {"agentCardUrl": "http://ada/.well-known/agent-card.json"}
    for method, path, body in (
        ("POST", "/r1/start", {}),
        ("POST", "/r1/players", card),
        ("DELETE", "/r1/players/p0", None),
        ("POST", "/r1/close", {}),
        ("DELETE", "/r1", None),
        ("GET", "/r1/hands/1/record", None),
    ):
        assert await lobby.refusal(method, path, body) == (409, "ROOM_CLOSED"), path
    assert await lobby.refusal("GET", "/r2") == (404, "ROOM_NOT_FOUND")


async def test_archived_rooms_have_a_list_of_their_own(lobby: KeptLobby) -> None:
    for number in range(1, 6):
        room, _ = await played(lobby.store, f"r{number}", hands=number)
        if number < 5:
            room.close("over")
            await lobby.store.archive(room)
    assert [room["roomId"] for room in (await lobby.get(""))["rooms"]] == ["r5"]
    first = await lobby.get("?archived=true&limit=3")
    assert [room["roomId"] for room in first["rooms"]] == ["r4", "r3", "r2"]
    assert [room["handCount"] for room in first["rooms"]] == [4, 3, 2]
    assert all("archivedAt" in room for room in first["rooms"])
    rest = await lobby.get(f"?archived=true&limit=3&after={first['next']}")
    assert ([room["roomId"] for room in rest["rooms"]], "next" in rest) == (["r1"], False)
    assert await lobby.refusal("GET", "?archived=true&after=r5") == (404, "ROOM_NOT_FOUND")
    assert await lobby.refusal("GET", "?after=r1") == (404, "ROOM_NOT_FOUND")


async def test_the_lobby_deletes_by_itself(tmp_path: Path) -> None:
    before = SqlStore(f"sqlite+aiosqlite:///{tmp_path}/casino.db")
    await before.open()
    await played(before, hands=111)
    await before.close()
    lobby = KeptLobby(tmp_path)
    async with lobby.harness.lobby.running():
        (room,) = lobby.store.rooms()

        async def is_deleted() -> bool:
            return lobby.store.retention.oldest_cursor(room) == 3 + 11 * 4

        await eventually(is_deleted)
        assert await lobby.store.retention.stored_hands(room) == 100
