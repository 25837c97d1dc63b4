"""Several stores on one PostgreSQL, each with what it published, for tests of a group."""

import asyncio
import itertools
from collections.abc import Sequence

from casino_contracts import TableEvent
from casino_lobby.domain.events import (
    EventsCommitted,
    NamesOwned,
    RoomArchived,
    RoomChanged,
    RoomsTaken,
    StoreLost,
)
from casino_lobby.domain.room import Room
from casino_lobby.store import SqlStore
from casino_lobby.store.unreadable import UnreadableRows

from support.casino.postgres import DATABASE, Postgres
from support.processes import eventually


class Member:
    """One lobby's store, and what it published."""

    def __init__(self, url: str, peer_url: str) -> None:
        self.store = SqlStore(url, peer_url=peer_url, unreadable=UnreadableRows())
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

    @property
    def number(self) -> int:
        """The number of the member."""
        number = self.store._member()
        assert number is not None
        return number

    def own_ids(self) -> list[str]:
        """Return the ids of the rooms that it owns."""
        return sorted(room.room_id for room in self.store.own_rooms())

    async def room(self, room_id: str) -> Room:
        """Return a room after following everything."""
        await self.follow()
        room = self.store.room(room_id)
        assert room is not None, room_id
        return room

    async def follow(self) -> None:
        """Follow everything that is committed by now."""
        assert self.store._group is not None
        await self.store._group.catch_up()


class Lobbies:
    """The members of one group on a new database."""

    def __init__(self, server: Postgres) -> None:
        self.server = server
        self.url = server.empty_url()
        self.members: list[Member] = []
        self._addresses = itertools.count(1)

    async def open(self, count: int = 1) -> list[Member]:
        """Open further members at the same time."""
        new = [Member(self.url, f"http://lobby-{next(self._addresses)}") for _ in range(count)]
        self.members += new
        await asyncio.gather(*(member.store.open() for member in new))
        return new

    async def close(self) -> None:
        """Close all members."""
        for member in self.members:
            await member.store.close()

    def cut_off(self, member: Member) -> None:
        """End the session with which a member writes, as PostgreSQL does that of a killed one."""
        group = member.store._group
        assert group is not None
        self.server.run(f"SELECT pg_terminate_backend({group._order.session})")

    def freeze(self, member: Member) -> None:
        """End a member's session so that it can write and take no more until `thaw`."""
        member.store.writer._is_frozen = True

    def followers(self) -> list[int]:
        """Return the sessions that listen, of all members."""
        listening = self.server.run(
            "SELECT pid FROM pg_stat_activity"
            f" WHERE datname = '{DATABASE}' AND query LIKE '%lobby_order%UNION ALL%'"
        )
        return [int(pid) for pid in listening.split()]


async def record(member: Member, room: Room, events: Sequence[TableEvent]) -> None:
    """Record events of a room at its owner."""
    await member.store.record(room, events)


async def equal_rooms(members: Sequence[Member]) -> None:
    """Wait until all members have the same rooms; fail with the difference."""
    for member in members:
        await member.follow()
    first, *others = [
        {room.room_id: room.to_json() for room in member.store.rooms()} for member in members
    ]
    for other in others:
        assert other == first


__all__ = ["Lobbies", "Member", "equal_rooms", "eventually", "record"]
