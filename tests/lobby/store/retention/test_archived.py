"""Archived rooms are read from the database as they were."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import pytest
from casino_lobby.domain.room import Room
from casino_lobby.store import MemoryStore, SqlStore
from casino_lobby.store.archive import Archive
from support.casino.store_side import change_rows, numbers, on_both_databases, played

OpenStore = Callable[[], Awaitable[SqlStore]]

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


async def archive(store: SqlStore, room: Room, at: datetime) -> None:
    store._archive = Archive(store.database, lambda: at)
    await store.archive(room)


@on_both_databases
async def test_an_archived_room_is_as_it_was(store: SqlStore, open_store: OpenStore) -> None:
    """With its newest events, hands and balances; also after a restart."""
    room, factory = await played(store, hands=3)
    await store.record(room, [factory.status("closed", "idle")])
    room.close("over")
    await archive(store, room, NOON)
    assert store.rooms() == []
    await is_readable(store, room)
    await store.close()
    await is_readable(await open_store(), room)


async def is_readable(store: SqlStore, room: Room) -> None:
    """Check that what is read of an archived room equals the room."""
    found = await store.archived("r1")
    assert found is not None
    assert found.archived_at == "2026-11-23T12:00:00Z"
    assert found.to_json() == room.to_json()
    assert numbers(list(found.recent)) == list(range(1, 17))
    assert numbers(await store.events(found, 0, 100)) == list(range(1, 17))
    assert [hand.key.number for hand in await store.hands(found, None, 10)] == [1, 2, 3]
    assert await store.balances("r1") == {}
    assert await store.kept_from(found) is None
    assert store.rooms() == []


async def test_only_archived_rooms_are_found(store: SqlStore) -> None:
    """No open, no unknown and no unreadable one."""
    room, _ = await played(store)
    assert await store.archived("r1") is None
    assert await store.archived("r2") is None
    await archive(store, room, NOON)
    await change_rows(store, "UPDATE room SET content = 'no JSON'")
    assert await store.archived("r1") is None
    assert await store.archived_rooms(None, 10) == []
    assert store.unreadable.counts() == {"room": 1}


@pytest.mark.parametrize("limit", [1, 2, 3, 10])
async def test_pages_have_every_archived_room_once(store: SqlStore, limit: int) -> None:
    """The last archived first, also of those archived at the same time; unreadable ones not."""
    for number, hours in enumerate((1, 5, 3, 3, 3, 2), 1):
        room, _ = await played(store, f"r{number}", hands=1)
        await archive(store, room, NOON + timedelta(hours=hours))
    await played(store, "open", hands=1)
    await change_rows(store, "UPDATE room SET content = 'no JSON' WHERE room_id = 'r4'")
    seen: list[str] = []
    while page := await store.archived_rooms(seen[-1] if seen else None, limit):
        assert all(room.hand_count == 1 and not room.recent for room in page)
        seen += [room.room_id for room in page]
    assert seen == ["r2", "r5", "r3", "r6", "r1"]
    assert await store.archived_rooms("open", limit) == []


async def test_events_that_the_saved_state_does_not_contain_are_applied(store: SqlStore) -> None:
    """Rooms that an older release archived were not saved."""
    room, _ = await played(store, hands=3)
    at = "2026-11-23 12:00:00+00:00" if "postgresql" in str(store.database.engine.url) else None
    await change_rows(
        store, f"UPDATE room SET archived_at = '{at or '2026-11-23 12:00:00.000000'}'"
    )
    found = await store.archived("r1")
    assert found is not None
    assert found.hand_count == 3
    [listed] = await store.archived_rooms(None, 10)
    assert (listed.hand_count, list(listed.recent)) == (3, [])
    assert listed.to_json() == room.to_json()


async def test_memory_has_no_archived_rooms() -> None:
    """They are deleted."""
    store = MemoryStore(1_000)
    assert await store.archived("r1") is None
    assert await store.archived_rooms(None, 10) == []
