"""Archived rooms keep their rows, and their ids are not given again."""

import pytest
from casino_agentkit import CommandRefused
from casino_lobby.domain.room import Room
from casino_lobby.store import SqlStore
from casino_lobby.store.archive import Archive
from support.casino.store_side import EventFactory, new_room, rows


@pytest.fixture
async def room(store: SqlStore) -> Room:
    """Store a room with two hands."""
    room = new_room("old")
    await store.add(room)
    factory = EventFactory(room)
    for number in (1, 2):
        await store.record(room, factory.hand(number, {}))
    return room


async def refusal(archive: Archive, room: Room) -> str:
    """Return the reason for which a new room is refused, "" if it is not."""
    try:
        await archive.refuse_known(room)
    except CommandRefused as refused:
        return refused.reason
    return ""


async def test_an_archived_room_keeps_its_events_and_hands(store: SqlStore, room: Room) -> None:
    """Archiving sets `archived_at` and deletes no row."""
    await store.writer.write(Archive(store.database).put(room))
    assert await rows(store, "SELECT count(*) FROM event WHERE room_id = 'old'") == [(8,)]
    assert await rows(store, "SELECT count(*) FROM hand WHERE room_id = 'old'") == [(2,)]
    [(archived_at,)] = await rows(store, "SELECT archived_at FROM room WHERE room_id = 'old'")
    assert archived_at is not None


async def test_the_ids_of_an_archived_room_are_refused(store: SqlStore, room: Room) -> None:
    """A new room with the room id or the table id of an archived one is refused."""
    archive = Archive(store.database)
    same_table = new_room("new")
    same_table.table_id = room.table_id
    assert await refusal(archive, new_room("old")) == ""  # as long as it is not archived
    await store.writer.write(archive.put(room))
    assert await refusal(archive, new_room("old")) == "ROOM_EXISTS"
    assert await refusal(archive, same_table) == "TABLE_ID_TAKEN"
    assert await refusal(archive, new_room("new")) == ""
