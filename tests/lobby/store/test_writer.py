"""The writer commits waiting batches together, in order; a failing one fails alone."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from casino_contracts import TableEvent
from casino_lobby.domain.room import Room
from casino_lobby.store import SqlStore, StoreFailed
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection
from support.casino.store_side import EventFactory, new_room, numbers, on_both_databases, rows

pytestmark = on_both_databases


async def add_rooms(store: SqlStore, count: int) -> list[Room]:
    rooms = [new_room(f"r{number}") for number in range(count)]
    await asyncio.gather(*map(store.add, rooms))
    return rooms


async def nothing(_connection: AsyncConnection) -> None:
    """Change nothing."""


@asynccontextmanager
async def transaction(store: SqlStore) -> AsyncIterator[None]:
    """Hold a transaction of the writer open."""
    begun, may_end = asyncio.Event(), asyncio.Event()

    async def hold(_connection: AsyncConnection) -> None:
        begun.set()
        await may_end.wait()

    holding = asyncio.ensure_future(store.writer.write(hold))
    await begun.wait()
    yield
    may_end.set()
    await holding


class TestTogether:
    async def test_concurrent_rooms_keep_their_order(self, store: SqlStore) -> None:
        rooms = await add_rooms(store, 12)
        heard: list[tuple[str, int]] = []

        async def record(room: Room) -> None:
            factory = EventFactory(room)
            for size in (1, 3, 2, 5):
                await store.record(room, factory.some(size))
                heard.append((room.room_id, room.last_sequence))

        await asyncio.gather(*map(record, rooms))
        found = await rows_of(store)
        assert [row[0] for row in found] == sorted(row[0] for row in found)
        for room in rooms:
            assert [row[2] for row in found if row[1] == room.room_id] == list(range(1, 12))
            assert numbers(list(room.recent)) == list(range(1, 12))
        place = {(room_id, sequence): cursor for cursor, room_id, sequence in found}
        assert [place[one] for one in heard] == sorted(place[one] for one in heard)

    async def test_waiting_batches_share_a_transaction(self, store: SqlStore) -> None:
        rooms = await add_rooms(store, 6)
        for room in rooms:  # their books, first
            await store.record(room, [])
        seen: list[bool] = []

        async def look(connection: AsyncConnection) -> None:
            seen.append(connection.in_transaction())
            await connection.exec_driver_sql("SELECT 1")
            seen.append(len((await connection.execute(text("SELECT 1 FROM event"))).all()) == 6)

        def roll_call() -> None:
            seen.append(all(room.last_sequence == 1 for room in rooms))

        await asyncio.gather(
            *(store.record(room, EventFactory(room).some(1)) for room in rooms),
            store.writer.write(look, roll_call),
        )
        assert seen == [True, True, True]


async def rows_of(store: SqlStore) -> list[tuple[int, str, int]]:
    found = await rows(store, "SELECT cursor, room_id, sequence FROM event ORDER BY cursor")
    return [(cursor, room_id, sequence) for cursor, room_id, sequence in found]


class TestNeighbours:
    async def test_a_batch_that_fails_fails_alone(self, store: SqlStore) -> None:
        rooms = await add_rooms(store, 5)
        factories = [EventFactory(room) for room in rooms]
        bad = factories[2].some(1) * 2

        async def record(number: int) -> None:
            batch: list[TableEvent] = bad if number == 2 else factories[number].some(3)
            await store.record(rooms[number], batch)

        outcomes = await asyncio.gather(*map(record, range(5)), return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [
            type(None),
            type(None),
            StoreFailed,
            type(None),
            type(None),
        ]
        assert [room.last_sequence for room in rooms] == [3, 3, 0, 3, 3]
        assert len(await rows_of(store)) == 12

    async def test_a_change_that_raises_fails_alone(self, store: SqlStore) -> None:

        async def broken(_connection: AsyncConnection) -> None:
            raise ZeroDivisionError("broken")

        room = new_room()
        outcomes = await asyncio.gather(
            store.add(room), store.writer.write(broken), return_exceptions=True
        )
        # The broken one cost the connection, so its neighbour may have to be repeated.
        assert isinstance(outcomes[1], StoreFailed)
        if outcomes[0] is not None:
            await store.add(room)
        await store.record(room, EventFactory(room).some(2))
        assert room.last_sequence == 2


class TestCancelledCallers:
    async def test_a_commit_is_applied_after_its_caller_was_cancelled(
        self, store: SqlStore
    ) -> None:
        """Otherwise the room would lack its own events."""
        [room] = await add_rooms(store, 1)
        factory = EventFactory(room)
        await store.record(room, factory.some(1))
        second = factory.some(1)
        caller = asyncio.ensure_future(store.record(room, second))
        async with transaction(store):  # the same one: both were waiting for the writer
            caller.cancel()
            with pytest.raises(asyncio.CancelledError):
                await caller
        await store.record(room, second + factory.some(1))  # the table sends it again
        assert room.last_sequence == 3
        assert [row[2] for row in await rows_of(store)] == [1, 2, 3]
        assert numbers(list(room.recent)) == [1, 2, 3]

    async def test_a_cancelled_batch_that_waits_is_not_written(self, store: SqlStore) -> None:
        """The transaction before it is still open."""
        [room] = await add_rooms(store, 1)
        await store.record(room, [])
        async with transaction(store):
            caller = asyncio.ensure_future(store.record(room, EventFactory(room).some(1)))
            await asyncio.sleep(0)  # until it waits for the writer
            caller.cancel()
        await store.writer.write(nothing)
        assert await rows_of(store) == []
        assert room.last_sequence == 0

    async def test_a_closed_store_refuses_changes(self, store: SqlStore) -> None:
        [room] = await add_rooms(store, 1)
        await store.record(room, [])
        caller = asyncio.ensure_future(store.record(room, EventFactory(room).some(1)))
        await asyncio.sleep(0)
        await store.close()
        await caller
        with pytest.raises(StoreFailed, match="closed"):
            await store.save(room)
