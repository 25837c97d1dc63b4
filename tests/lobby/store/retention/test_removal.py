"""Archived rooms are deleted with everything of theirs."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from casino_lobby.domain.room import Room
from casino_lobby.store import SqlStore
from casino_lobby.store.archive import Archive
from support.casino.store_side import change_rows, new_room, on_both_databases, played, rows

OpenStore = Callable[[], Awaitable[SqlStore]]

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
TABLES = ("room", "event", "player", "session", "hand", "ledger")


async def archived(store: SqlStore, room_id: str, hours: int, hands: int = 3) -> Room:
    room, _ = await played(store, room_id, hands)
    room.close("over")
    store._archive = Archive(store.database, lambda: NOON + timedelta(hours=hours))
    await store.archive(room)
    return room


async def test_rooms_expire_by_the_time_they_were_archived(store: SqlStore) -> None:
    """The first archived first; an open room never."""
    for room_id, hours in (("r1", 3), ("r2", 1), ("r3", 2)):
        await archived(store, room_id, hours)
    await played(store, "open")
    assert await store.expired_rooms(NOON + timedelta(hours=1)) == []
    assert await store.expired_rooms(NOON + timedelta(hours=2, seconds=1)) == ["r2", "r3"]
    assert await store.expired_rooms(NOON + timedelta(days=9)) == ["r2", "r3", "r1"]


@on_both_databases
async def test_nothing_of_a_deleted_room_is_left(store: SqlStore, open_store: OpenStore) -> None:
    """Other rooms stay whole; its ids are free, and no cursor is assigned again."""
    kept, _ = await played(store, "kept")
    await archived(store, "r1", 0)
    assert store.last_cursor == 30
    assert await store.delete_archived("r1") is False
    for table in TABLES:
        found = await rows(store, f"SELECT DISTINCT room_id FROM {table}")
        assert found == [("kept",)], table
    assert await store.archived("r1") is None
    assert (store.oldest_cursor(), store.oldest_cursor(kept)) == (30, 0)
    await store.close()
    again = await open_store()
    assert (again.oldest_cursor(), again.last_cursor) == (30, 30)
    assert [room.room_id for room in again.rooms()] == ["kept"]
    await again.refuse_archived(new_room("r1"))
    room, _ = await played(again, "r1", hands=2)
    assert [hand.key.number for hand in await again.hands(room, None, 10)] == [1, 2]
    assert len(await again.committed(30, 100)) == 11


async def test_a_large_room_is_deleted_in_steps(store: SqlStore) -> None:
    """It can be read until the last one, as it was."""
    room = await archived(store, "r1", 0, hands=150)
    remaining = []
    while await store.delete_archived("r1", most=100):
        found = await store.archived("r1")
        assert found is not None
        assert found.to_json() == room.to_json()
        assert list(found.recent) == list(room.recent)
        [(events,)] = await rows(store, "SELECT count(*) FROM event")
        remaining.append(events)
    assert remaining == [504, 404, 304, 204]
    assert await rows(store, "SELECT count(*) FROM event") == [(0,)]
    assert store.oldest_cursor() == 603


async def test_a_room_that_was_not_saved_is_deleted_at_once(store: SqlStore) -> None:
    """So is one that cannot be read."""
    await played(store, "r1", hands=150)
    await played(store, "r2", hands=150)
    await change_rows(store, "UPDATE room SET archived_at = created_at")
    await change_rows(store, "UPDATE room SET content = 'no JSON' WHERE room_id = 'r2'")
    for room_id in ("r1", "r2"):
        assert await store.delete_archived(room_id, most=100) is False
    assert await rows(store, "SELECT count(*) FROM event") == [(0,)]


async def test_an_id_that_was_used_again_is_safe(store: SqlStore) -> None:
    """Another lobby was first to delete, and a new room has the id."""
    await archived(store, "r1", 0)
    await store.delete_archived("r1")
    await played(store, "r1", hands=150)
    assert await store.delete_archived("r1") is False
    assert await rows(store, "SELECT count(*) FROM event") == [(603,)]
