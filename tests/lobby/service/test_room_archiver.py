"""Rooms are archived a day after they are over, and the oldest where there are too many."""

import asyncio
from datetime import timedelta
from typing import cast

import pytest
from casino_lobby.domain.lobby_events import MessageBus, RoomArchived
from casino_lobby.domain.room import Phase, Room
from casino_lobby.service.retention_tasks import RoomArchiver
from casino_lobby.store import Store, StoreFailed
from support.casino.store_side import new_room

DAY_S = 24 * 3600


def room_in(phase: Phase, room_id: str) -> Room:
    room = new_room(room_id)
    room.phase = phase
    return room


class MemoryRooms:
    """A store of rooms in memory, with a clock that the test moves."""

    def __init__(self, *rooms: Room) -> None:
        self.now = 0.0
        self.kept = list(rooms)
        self.archived: list[str] = []
        self.bus = MessageBus()
        self.bus.subscribe(RoomArchived, lambda event: self.archived.append(event.room.room_id))
        self.fails = False

    def own_rooms(self) -> list[Room]:
        return list(self.kept)

    async def archive(self, room: Room) -> None:
        """Remove a room; raises StoreFailed while `fails` is set."""
        if self.fails:
            raise StoreFailed("the disk is full")
        self.kept.remove(room)

    def archiver(self, most: int = 1_000) -> RoomArchiver:
        """Return an archiver of these rooms that keeps them for a day."""
        return RoomArchiver(
            cast("Store", self), timedelta(days=1), lambda: self.now, self.bus, most=most
        )


async def test_a_room_is_archived_a_day_after_it_is_over() -> None:
    store = MemoryRooms(room_in("open", "r0"), room_in("closed", "r1"), room_in("failed", "r2"))
    archiver = store.archiver()
    await archiver.archive_old()
    store.now = DAY_S - 1
    await archiver.archive_old()
    assert store.archived == []
    store.now = DAY_S
    await archiver.archive_old()
    assert store.archived == ["r1", "r2"]
    assert [room.room_id for room in store.kept] == ["r0"]
    store.kept[0].phase = "closed"
    await archiver.archive_old()
    assert len(store.kept) == 1
    store.now += DAY_S
    await archiver.archive_old()
    assert store.kept == []


async def test_the_oldest_are_archived_first_where_there_are_too_many() -> None:
    store = MemoryRooms()
    archiver = store.archiver(most=10)
    for number in range(1_000):
        store.kept.append(room_in("closed", f"r{number}"))
        if number % 50 == 49:
            store.now += 1
            await archiver.archive_old()
    assert [room.room_id for room in store.kept] == [f"r{n}" for n in range(990, 1_000)]


async def test_a_store_failure_only_delays() -> None:
    store = MemoryRooms(room_in("closed", "r0"))
    store.now, store.fails = 1.0, True
    rounds = 0

    async def sleep(seconds: float) -> None:
        nonlocal rounds
        assert seconds == 60
        rounds += 1
        store.now += DAY_S
        store.fails = rounds < 3
        if rounds == 5:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await store.archiver().run(sleep)
    assert store.archived == ["r0"]
