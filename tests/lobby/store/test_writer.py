"""Whatever waits is committed together, in order, and nobody fails for another's sake."""

import asyncio

import pytest
from casino_contracts import TableEvent
from casino_lobby.domain.room import Room
from casino_lobby.store import SqlStore, StoreFailed
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection
from support.casino.store_side import EventFactory, new_room, numbers, rows


async def add_rooms(store: SqlStore, count: int) -> list[Room]:
    """Add rooms, all at once."""
    rooms = [new_room(f"r{number}") for number in range(count)]
    await asyncio.gather(*map(store.add, rooms))
    return rooms


async def nothing(_connection: AsyncConnection) -> None:
    """Change nothing."""


class TestTogether:
    """Group commit."""

    async def test_many_rooms_keep_their_own_order_and_share_the_lobby_s(
        self, store: SqlStore
    ) -> None:
        """The cursor is the order in which events became true."""
        rooms = await add_rooms(store, 12)
        heard: list[tuple[str, int]] = []

        async def record(room: Room) -> None:
            teller = EventFactory(room)
            for size in (1, 3, 2, 5):
                await store.record(room, teller.some(size))
                heard.append((room.room_id, room.last_sequence))

        await asyncio.gather(*map(record, rooms))
        found = await rows_of(store)
        assert [row[0] for row in found] == sorted(row[0] for row in found)
        for room in rooms:
            assert [row[2] for row in found if row[1] == room.room_id] == list(range(1, 12))
            assert numbers(list(room.recent)) == list(range(1, 12))
        place = {(room_id, sequence): cursor for cursor, room_id, sequence in found}
        assert [place[one] for one in heard] == sorted(place[one] for one in heard)

    async def test_what_waits_goes_into_one_transaction(self, store: SqlStore) -> None:
        """However many rooms it is of; what follows comes after it all."""
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
            store._writer.write(look, roll_call),
        )
        assert seen == [True, True, True]


async def rows_of(store: SqlStore) -> list[tuple[int, str, int]]:
    """Return all events' cursors, rooms and sequences, in the order of the cursor."""
    found = await rows(store, "SELECT cursor, room_id, sequence FROM event ORDER BY cursor")
    return [(cursor, room_id, sequence) for cursor, room_id, sequence in found]


class TestNeighbours:
    """A bad batch among good ones."""

    async def test_a_batch_that_fails_fails_alone(self, store: SqlStore) -> None:
        """Its neighbours are committed, whether they came before it or after it."""
        rooms = await add_rooms(store, 5)
        tellers = [EventFactory(room) for room in rooms]
        bad = tellers[2].some(1) * 2

        async def record(number: int) -> None:
            told: list[TableEvent] = bad if number == 2 else tellers[number].some(3)
            await store.record(rooms[number], told)

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
        """And the writer goes on, with a connection that is sound."""

        async def broken(_connection: AsyncConnection) -> None:
            raise ZeroDivisionError("broken")

        room = new_room()
        outcomes = await asyncio.gather(
            store.add(room), store._writer.write(broken), return_exceptions=True
        )
        # The broken one cost the connection, so its neighbour may be told to try again.
        assert isinstance(outcomes[1], StoreFailed)
        if outcomes[0] is not None:
            await store.add(room)
        await store.record(room, EventFactory(room).some(2))
        assert room.last_sequence == 2

    async def test_what_follows_a_commit_may_fail_for_its_own_caller_only(
        self, store: SqlStore
    ) -> None:
        """It has been committed all the same."""

        def fails() -> None:
            raise ZeroDivisionError

        outcomes = await asyncio.gather(
            store._writer.write(nothing, fails),
            store._writer.write(nothing),
            return_exceptions=True,
        )
        assert isinstance(outcomes[0], ZeroDivisionError)
        assert outcomes[1] is None


class TestImpatience:
    """Callers that are cancelled."""

    async def test_what_is_committed_is_folded_though_its_caller_has_gone(
        self, store: SqlStore
    ) -> None:
        """Else the room would be behind its own events."""
        [room] = await add_rooms(store, 1)
        teller = EventFactory(room)
        await store.record(room, teller.some(1))
        second = teller.some(1)
        caller = asyncio.ensure_future(store.record(room, second))
        while not store._writer._waiting:
            await asyncio.sleep(0)
        while store._writer._waiting:  # until the writer has begun
            await asyncio.sleep(0)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        await store.record(room, second + teller.some(1))  # the table sends it again
        assert room.last_sequence == 3
        assert [row[2] for row in await rows_of(store)] == [1, 2, 3]
        assert numbers(list(room.recent)) == [1, 2, 3]

    async def test_what_has_not_been_begun_is_left(self, store: SqlStore) -> None:
        """Nobody wants it any more."""
        [room] = await add_rooms(store, 1)
        await store.record(room, [])
        caller = asyncio.ensure_future(store.record(room, EventFactory(room).some(1)))
        await asyncio.sleep(0)
        assert store._writer._waiting
        caller.cancel()
        await store._writer.write(nothing)
        assert await rows_of(store) == []
        assert room.last_sequence == 0

    async def test_a_closed_store_says_so(self, store: SqlStore) -> None:
        """Whatever waited was written before."""
        [room] = await add_rooms(store, 1)
        await store.record(room, [])
        caller = asyncio.ensure_future(store.record(room, EventFactory(room).some(1)))
        await asyncio.sleep(0)
        await store.close()
        await caller
        with pytest.raises(StoreFailed, match="closed"):
            await store.save(room)
