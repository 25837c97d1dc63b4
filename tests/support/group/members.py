"""Several stores on one PostgreSQL, each with what it published, for tests of a group."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from casino_lobby.domain.lobby_events import (
    EventsCommitted,
    NamesOwned,
    RoomArchived,
    RoomChanged,
    RoomsTaken,
    StoreLost,
)
from casino_lobby.domain.room import Room
from casino_lobby.store import SqlStore, StoreFailed
from casino_lobby.store.commit_order import key_of
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from support.casino.postgres import Postgres


class Member:
    """One lobby's store, and what it published."""

    def __init__(self, url: str, peer_url: str) -> None:
        self.store = SqlStore(url, peer_url=peer_url)
        self.peer_url = peer_url
        self.cursors: list[int] = []
        self.own_cursors: list[int] = []
        self.changed: list[tuple[str, str]] = []
        self.archived: list[str] = []
        self.taken: list[list[str]] = []
        self.names: dict[str, str] = {}
        self.lost: list[StoreLost] = []
        bus = self.store.bus
        bus.subscribe(EventsCommitted, self._note_events)
        bus.subscribe(
            RoomChanged, lambda event: self.changed.append((event.room.room_id, event.room.phase))
        )
        bus.subscribe(RoomArchived, lambda event: self.archived.append(event.room.room_id))
        bus.subscribe(
            RoomsTaken, lambda event: self.taken.append([room.room_id for room in event.rooms])
        )
        bus.subscribe(NamesOwned, lambda event: self.names.update(event.owners))
        bus.subscribe(StoreLost, self.lost.append)

    def _note_events(self, event: EventsCommitted) -> None:
        cursors = [item.cursor for item in event.committed]
        self.cursors += cursors
        if event.is_own:
            self.own_cursors += cursors

    def own_ids(self) -> list[str]:
        return sorted(room.room_id for room in self.store.own_rooms())

    async def follow(self) -> None:
        """Follow everything that is committed by now."""
        assert await self.store.group.find("no-such-room") is None

    async def room(self, room_id: str) -> Room:
        """Return a room after following everything."""
        await self.follow()
        room = self.store.room(room_id)
        assert room is not None, room_id
        return room

    @asynccontextmanager
    async def frozen(self) -> AsyncIterator[None]:
        """Keep its writer in the middle of a transaction, which then fails with StoreFailed."""
        begun, may_end = asyncio.Event(), asyncio.Event()

        async def hold(connection: AsyncConnection) -> None:
            await connection.execute(text("SELECT 1"))
            begun.set()
            await may_end.wait()
            await connection.execute(text("SELECT 1"))

        holding = asyncio.ensure_future(self.store.writer.write(hold))
        await begun.wait()
        yield
        may_end.set()
        (failed,) = await asyncio.gather(holding, return_exceptions=True)
        assert isinstance(failed, StoreFailed)


class Lobbies:
    """The members of one group on a new database."""

    def __init__(self, server: Postgres) -> None:
        self.server = server
        self.url = server.new_url()
        self._members: list[Member] = []
        self._addresses = itertools.count(1)

    async def open(self, count: int) -> list[Member]:
        """Open further members at the same time."""
        new = [Member(self.url, f"http://lobby-{next(self._addresses)}") for _ in range(count)]
        self._members += new
        await asyncio.gather(*(member.store.open() for member in new))
        return new

    async def close(self) -> None:
        for member in self._members:
            await member.store.close()

    def number(self, member: Member) -> int:
        return int(
            self.server.run(f"SELECT number FROM lobby_member WHERE url = '{member.peer_url}'")
        )

    def cut_off(self, member: Member) -> None:
        """End the session with which a member writes, as PostgreSQL does if it was killed."""
        lock = key_of(self.number(member)) & 0xFFFF_FFFF
        self.server.run(
            "SELECT pg_terminate_backend(pid) FROM pg_locks"
            f" WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND objid::bigint = {lock}"
        )

    def cut_off_readers(self) -> None:
        """End every session without a lock of a lobby: those that listen, and those that read."""
        self.server.end_sessions(
            "pid NOT IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')"
        )

    def cursors(self) -> list[int]:
        return [
            int(line) for line in self.server.run("SELECT cursor FROM event ORDER BY 1").split()
        ]


async def equal_rooms(members: Sequence[Member]) -> None:
    """Check that all members have the same rooms, after following everything."""
    for member in members:
        await member.follow()
    first, *others = [
        {room.room_id: _as_json(room) for room in member.store.rooms()} for member in members
    ]
    assert first
    for other in others:
        assert other == first
    recent = {room.room_id: list(room.recent) for room in members[0].store.rooms()}
    for member in members[1:]:
        assert {room.room_id: list(room.recent) for room in member.store.rooms()} == recent


def _as_json(room: Room) -> dict[str, Any]:
    """Return a room as it is stored; ids of a set come in any order."""
    return {**room.to_json(), "reported_ids": sorted(room.reported_ids)}
