"""Archived rooms: their rows stay, and nobody else gets their ids."""

import pytest
from casino_agentkit import CommandRefused
from casino_lobby.domain.room import Room
from casino_lobby.store import SqlStore
from casino_lobby.store.archive import Archive
from support.casino.store_side import EventFactory, new_room, rows


@pytest.fixture
async def room(store: SqlStore) -> Room:
    """Keep a room with two hands."""
    room = new_room("old")
    await store.add(room)
    teller = EventFactory(room)
    for number in (1, 2):
        await store.record(room, teller.hand(number, {}))
    return room


async def refusal(archive: Archive, room: Room) -> str:
    """Return why a new room is refused, "" when it is not."""
    try:
        await archive.refuse_known(room)
    except CommandRefused as refused:
        return refused.reason
    return ""


async def test_what_was_played_stays(store: SqlStore, room: Room) -> None:
    """Only the room is marked."""
    await Archive(store._database, store._writer).put(room)
    assert await rows(store, "SELECT count(*) FROM event WHERE room_id = 'old'") == [(8,)]
    assert await rows(store, "SELECT count(*) FROM hand WHERE room_id = 'old'") == [(2,)]
    [(archived_at,)] = await rows(store, "SELECT archived_at FROM room WHERE room_id = 'old'")
    assert archived_at is not None


async def test_its_ids_are_not_given_again(store: SqlStore, room: Room) -> None:
    """A room of the same id would take over its events, or remove them."""
    archive = Archive(store._database, store._writer)
    same_table = new_room("new")
    same_table.table_id = room.table_id
    assert await refusal(archive, new_room("old")) == ""  # as long as it is not archived
    await archive.put(room)
    assert await refusal(archive, new_room("old")) == "ROOM_EXISTS"
    assert await refusal(archive, same_table) == "TABLE_ID_TAKEN"
    assert await refusal(archive, new_room("new")) == ""
