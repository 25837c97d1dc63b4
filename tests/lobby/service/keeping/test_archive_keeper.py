"""Archived rooms are deleted when their time is over, by one lobby."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import cast

import pytest
from casino_lobby.service.retention_tasks import ARCHIVE_EVERY_S, ArchiveKeeper
from casino_lobby.store import SqlStore, StoreFailed

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


class Archived:
    """Archived rooms: how many commits delete each of them."""

    is_held = True
    deletes_archived = True

    def __init__(self, **rooms: int) -> None:
        self.rooms = rooms
        self.asked: list[datetime] = []
        self.now = 0.0
        self.fails = False

    @property
    def retention(self) -> "Archived":
        return self

    async def expired_rooms(self, before: datetime) -> list[str]:
        """Return all rooms; raises StoreFailed while `fails` is set."""
        self.asked.append(before)
        if self.fails:
            raise StoreFailed("the disk is full")
        return list(self.rooms)

    async def delete_archived(self, room_id: str) -> bool:
        """Take half a second for a step, and three for the last one."""
        self.rooms[room_id] -= 1
        self.now += 0.5 if self.rooms[room_id] else 3.0
        if self.rooms[room_id]:
            return True
        del self.rooms[room_id]
        return False

    def keeper(self, kept: timedelta = timedelta(days=30)) -> ArchiveKeeper:
        return ArchiveKeeper(cast("SqlStore", self), kept, lambda: self.now, lambda: NOON)


async def test_rooms_are_deleted_step_by_step() -> None:
    """A pause follows each commit, as long as it lasted, at most a second."""
    store, naps = Archived(r1=3, r2=1), list[float]()

    async def sleep(seconds: float) -> None:
        naps.append(seconds)

    await store.keeper().delete_old(sleep)
    assert store.rooms == {}
    assert store.asked == [NOON - timedelta(days=30)]
    assert naps == [0.5, 0.5, 1.0, 1.0]


async def test_only_one_lobby_deletes_and_only_what_it_holds() -> None:
    store = Archived(r1=1)
    store.deletes_archived = False
    await store.keeper().delete_old()
    store.deletes_archived, store.is_held = True, False
    await store.keeper().delete_old()
    assert (store.asked, store.rooms) == ([], {"r1": 1})


async def test_a_failed_round_is_repeated() -> None:
    store, naps = Archived(r1=1), list[float]()
    store.fails = True

    async def sleep(seconds: float) -> None:
        naps.append(seconds)
        store.fails = False
        if not store.rooms:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await store.keeper().run(sleep)
    assert naps == [ARCHIVE_EVERY_S, 1.0]
