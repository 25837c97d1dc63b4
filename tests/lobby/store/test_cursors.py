"""Every event has its place in the order of the lobby's commits; listeners get it."""

import asyncio

import pytest
from casino_lobby.domain.lobby_events import Committed, EventsCommitted
from casino_lobby.domain.reported_event import written
from casino_lobby.domain.room import Room
from casino_lobby.store import MemoryStore, SqlStore, Store, StoreFailed
from casino_lobby.store.stored_rows import packed
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from support.casino.store_side import (
    EventFactory,
    OpenStore,
    new_room,
    on_both_databases,
    rows,
)


class Ear:
    """Subscribes to the store's commits, and notes the state of store and room at each."""

    def __init__(self, store: Store) -> None:
        self._batches: list[tuple[EventsCommitted, int, int]] = []
        self._store = store
        store.bus.subscribe(EventsCommitted, self._hear)

    def _hear(self, event: EventsCommitted) -> None:
        self._batches.append((event, self._store.last_cursor, event.room.last_sequence))

    @property
    def heard(self) -> list[Committed]:
        """The committed events; each batch was of one room, stored and folded when it was heard."""
        for batch, cursor, sequence in self._batches:
            assert (batch.committed[-1].cursor, batch.committed[-1].event.sequence) == (
                cursor,
                sequence,
            )
            assert {one.room_id for one in batch.committed} == {batch.room.room_id}
        return [one for batch, _, _ in self._batches for one in batch.committed]

    @property
    def cursors(self) -> list[int]:
        return [one.cursor for one in self.heard]


async def everything(store: Store, after: int = 0, room: Room | None = None) -> list[Committed]:
    """Read all that there is, page by page."""
    found: list[Committed] = []
    while page := await store.committed(found[-1].cursor if found else after, 3, room):
        assert len(page) <= 3
        found += page
    return found


async def test_listeners_hear_of_all_in_the_order_of_commits(every_store: Store) -> None:
    rooms = [new_room(f"r{number}") for number in range(4)]
    for room in rooms:
        await every_store.add(room)
    ear = Ear(every_store)

    async def record(room: Room) -> None:
        factory = EventFactory(room)
        for size in (1, 3, 2):
            await every_store.record(room, factory.some(size))
        factory.takes_over()
        await every_store.record(room, factory.some(2))

    await asyncio.gather(*map(record, rooms))
    assert ear.cursors == list(range(1, 33))
    assert every_store.last_cursor == 32
    assert await everything(every_store) == ear.heard
    assert await everything(every_store, 20) == ear.heard[20:]
    for room in rooms:
        of_room = [one for one in ear.heard if one.room_id == room.room_id]
        assert await everything(every_store, 0, room) == of_room
        assert [(one.event.epoch, one.event.sequence) for one in of_room] == [
            *((1, number) for number in range(1, 7)),
            (2, 1),
            (2, 2),
        ]


@on_both_databases
async def test_nothing_is_heard_of_what_is_not_committed(store: SqlStore) -> None:
    room = new_room()
    await store.add(room)
    ear, factory = Ear(store), EventFactory(room)
    bad = factory.some(1) * 2
    with pytest.raises(StoreFailed):
        await store.record(room, bad)
    assert ear.heard == []
    await store.record(room, bad[:1])
    assert ear.cursors == [1]
    assert await rows(store, "SELECT cursor FROM event") == [(1,)]


async def test_a_restart_goes_on_counting(store: SqlStore, open_store: OpenStore) -> None:
    rooms = [new_room("r1"), new_room("r2")]
    for room in rooms:
        await store.add(room)
        await store.record(room, EventFactory(room).some(3))
    await store.remove(rooms[1])
    await store.close()
    again = await open_store()
    assert again.last_cursor == 6
    ear = Ear(again)
    room = again.rooms()[0]
    factory = EventFactory(room)
    factory.sequence = 3
    await again.record(room, factory.some(2))
    assert ear.cursors == [7, 8]
    assert [one.cursor for one in await everything(again)] == [1, 2, 3, 7, 8]


@on_both_databases
async def test_what_was_committed_unnoticed_is_heard_before_all_else(
    store: SqlStore, url: str
) -> None:
    """Where the connection was lost in the middle of a commit."""
    rooms = [new_room("r1"), new_room("r2")]
    for room in rooms:
        await store.add(room)
        await store.record(room, [])
    ear = Ear(store)
    lost = EventFactory(rooms[0]).some(1)[0]

    async def breaks(_connection: AsyncConnection) -> None:
        raise ConnectionError

    with pytest.raises(StoreFailed):
        await store.writer.write(breaks)
    engine = create_async_engine(url)
    async with engine.begin() as connection:
        await connection.execute(
            text(
                "INSERT INTO event (cursor, room_id, epoch, sequence, event_type, content)"
                " VALUES (1, 'r1', 1, 1, 'table_status', :content)"
            ),
            {"content": packed(written(lost))},
        )
    await engine.dispose()
    await store.record(rooms[1], EventFactory(rooms[1]).some(1))
    assert [(one.cursor, one.room_id) for one in ear.heard] == [(1, "r1"), (2, "r2")]
    assert rooms[0].last_sequence == 1


async def test_a_store_in_memory_knows_what_it_has_forgotten() -> None:
    store, room, other = MemoryStore(5, after=1_000), new_room(), new_room("r2")
    await store.add(room)
    await store.add(other)
    assert (
        store.last_cursor
        == store.retention.oldest_cursor()
        == store.retention.oldest_cursor(room)
        == 1_000
    )
    factory = EventFactory(room)
    await store.record(room, factory.some(4))
    await store.record(other, EventFactory(other).some(1))
    await store.record(room, factory.some(3))
    assert store.last_cursor == 1_008
    assert store.retention.oldest_cursor(room) == store.retention.oldest_cursor() == 1_002
    assert store.retention.oldest_cursor(other) == 1_000
    found = await everything(store, store.retention.oldest_cursor(room), room)
    assert [one.event.sequence for one in found] == [3, 4, 5, 6, 7]
