"""A database of an earlier release is opened with everything in it.

A release that changes the schema adds its own pair to `released/`.
"""

import json
import shutil
from pathlib import Path

import pytest
from casino_contracts import RoomSnapshot
from casino_lobby.domain.room_views import late_snapshot, room_snapshot
from casino_lobby.store import SqlStore
from support.casino.store_side import EventFactory

RELEASED = Path(__file__).parent / "released"


def as_json(snapshot: RoomSnapshot) -> object:
    return snapshot.model_dump(mode="json", by_alias=True)


@pytest.mark.parametrize("database", sorted(RELEASED.glob("*.db")), ids=lambda path: path.stem)
async def test_rooms_events_and_chips_are_kept(database: Path, tmp_path: Path) -> None:
    """Play goes on."""
    written = json.loads(database.with_suffix(".json").read_text())
    shutil.copy(database, tmp_path / "casino.db")
    store = SqlStore(f"sqlite+aiosqlite:///{tmp_path}/casino.db")
    await store.open()
    try:
        rooms = store.rooms()
        assert [as_json(room_snapshot(room)) for room in rooms] == written["rooms"]
        assert [as_json(late_snapshot(room)) for room in rooms] == written["late"]
        assert await store.balances("r2") == written["balances"]
        hands = await store.hands(rooms[0], None, 10)
        assert [
            [*hand.key, hand.first_sequence, hand.completed.sequence] for hand in hands
        ] == written["hands"]
        assert await store.name_owners() == written["names"]
        assert store.unreadable.counts() == {}
        factory = EventFactory(rooms[0])
        factory.sequence = rooms[0].last_sequence
        await store.record(rooms[0], factory.hand(3, {"p0": 180, "p1": 220}))
        assert (await store.balances("r2"))["player:p0"] == 180
    finally:
        await store.close()
