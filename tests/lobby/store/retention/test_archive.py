"""Archived rooms are read as they were, their ids stay taken, and they are deleted whole."""

from datetime import UTC, datetime, timedelta

import pytest
from casino_agentkit import CommandRefused
from casino_lobby.domain.room import Room
from casino_lobby.store import SqlStore
from casino_lobby.store.room_rows import Archive
from support.casino.store_side import (
    OpenStore,
    change_rows,
    new_room,
    numbers,
    on_both_databases,
    played,
    rows,
)

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
TABLES = ("room", "event", "hand")


async def archive(store: SqlStore, room: Room, at: datetime) -> None:
    store._archive = Archive(store.database, lambda: at)
    await store.archive(room)


async def test_an_archived_room_is_as_it_was(store: SqlStore, open_store: OpenStore) -> None:
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
    found = await store.retention.archived("r1")
    assert found is not None
    assert found.archived_at == "2026-11-23T12:00:00Z"
    assert found.to_json() == room.to_json()
    assert numbers(list(found.recent)) == list(range(1, 17))
    assert numbers(await store.events(found, 0, 100)) == list(range(1, 17))
    assert [hand.key.number for hand in await store.hands.page(found, None, 10)] == [1, 2, 3]
    assert found.ledger.balances == {}
    assert await store.retention.kept_from(found) is None
    assert store.rooms() == []


async def test_only_archived_rooms_are_found(store: SqlStore) -> None:
    room, _ = await played(store)
    assert await store.retention.archived("r1") is None
    assert await store.retention.archived("r2") is None
    await archive(store, room, NOON)
    await change_rows(store, "UPDATE room SET content = 'no JSON'")
    assert await store.retention.archived("r1") is None
    assert await store.retention.archived_rooms(None, 10) == []
    assert store.unreadable.counts() == {"room": 1}


@pytest.mark.parametrize("limit", [1, 3])
async def test_pages_have_every_archived_room_once(store: SqlStore, limit: int) -> None:
    for number, hours in enumerate((1, 5, 3, 3, 3, 2), 1):
        room, _ = await played(store, f"r{number}", hands=1)
        await archive(store, room, NOON + timedelta(hours=hours))
    await played(store, "open", hands=1)
    await change_rows(store, "UPDATE room SET content = 'no JSON' WHERE room_id = 'r4'")
    seen: list[str] = []
    while page := await store.retention.archived_rooms(seen[-1] if seen else None, limit):
        assert all(room.hand_count == 1 and not room.recent for room in page)
        seen += [room.room_id for room in page]
    assert seen == ["r2", "r5", "r3", "r6", "r1"]
    assert await store.retention.archived_rooms("open", limit) == []


async def test_the_ids_of_an_archived_room_are_refused(store: SqlStore) -> None:
    room, _ = await played(store, "old")
    same_table = new_room("new")
    same_table.table_id = room.table_id
    await store.refuse_archived(new_room("old"))  # as long as it is not archived
    await archive(store, room, NOON)
    for new, reason in ((new_room("old"), "ROOM_EXISTS"), (same_table, "TABLE_ID_TAKEN")):
        with pytest.raises(CommandRefused) as refused:
            await store.refuse_archived(new)
        assert refused.value.reason == reason
    await store.refuse_archived(new_room("new"))


async def archived(store: SqlStore, room_id: str, hours: int, hands: int = 3) -> Room:
    room, _ = await played(store, room_id, hands)
    room.close("over")
    await archive(store, room, NOON + timedelta(hours=hours))
    return room


async def test_rooms_expire_by_the_time_they_were_archived(store: SqlStore) -> None:
    for room_id, hours in (("r1", 3), ("r2", 1), ("r3", 2)):
        await archived(store, room_id, hours)
    await played(store, "open")
    assert await store.retention.expired_rooms(NOON + timedelta(hours=1)) == []
    assert await store.retention.expired_rooms(NOON + timedelta(hours=2, seconds=1)) == ["r2", "r3"]
    assert await store.retention.expired_rooms(NOON + timedelta(days=9)) == ["r2", "r3", "r1"]


@on_both_databases
async def test_nothing_of_a_deleted_room_is_left(store: SqlStore, open_store: OpenStore) -> None:
    kept, _ = await played(store, "kept")
    await archived(store, "r1", 0)
    assert store.last_cursor == 30
    assert await store.retention.delete_archived("r1") is False
    for table in TABLES:
        found = await rows(store, f"SELECT DISTINCT room_id FROM {table}")
        assert found == [("kept",)], table
    assert await store.retention.archived("r1") is None
    assert (store.retention.oldest_cursor(), store.retention.oldest_cursor(kept)) == (30, 0)
    await store.close()
    again = await open_store()
    assert (again.retention.oldest_cursor(), again.last_cursor) == (30, 30)
    assert [room.room_id for room in again.rooms()] == ["kept"]
    await again.refuse_archived(new_room("r1"))
    room, _ = await played(again, "r1", hands=2)
    assert [hand.key.number for hand in await again.hands.page(room, None, 10)] == [1, 2]
    assert len(await again.committed(30, 100)) == 11


async def test_a_large_room_is_deleted_in_steps(store: SqlStore) -> None:
    room = await archived(store, "r1", 0, hands=150)
    remaining = []
    while await store.retention.delete_archived("r1", most=100):
        found = await store.retention.archived("r1")
        assert found is not None
        assert found.to_json() == room.to_json()
        assert list(found.recent) == list(room.recent)
        [(events,)] = await rows(store, "SELECT count(*) FROM event")
        remaining.append(events)
    assert remaining == [504, 404, 304, 204]
    assert await rows(store, "SELECT count(*) FROM event") == [(0,)]
    assert store.retention.oldest_cursor() == 603


async def test_a_room_that_was_not_saved_is_deleted_at_once(store: SqlStore) -> None:
    await played(store, "r1", hands=150)
    await played(store, "r2", hands=150)
    await change_rows(store, "UPDATE room SET archived_at = created_at")
    await change_rows(store, "UPDATE room SET content = 'no JSON' WHERE room_id = 'r2'")
    for room_id in ("r1", "r2"):
        assert await store.retention.delete_archived(room_id, most=100) is False
    assert await rows(store, "SELECT count(*) FROM event") == [(0,)]


async def test_an_id_that_was_used_again_is_safe(store: SqlStore) -> None:
    """Another lobby was first to delete, and a new room has the id."""
    await archived(store, "r1", 0)
    await store.retention.delete_archived("r1")
    await played(store, "r1", hands=150)
    assert await store.retention.delete_archived("r1") is False
    assert await rows(store, "SELECT count(*) FROM event") == [(603,)]
