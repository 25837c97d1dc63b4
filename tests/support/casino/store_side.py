"""Rooms, events and database queries of the lobby store's tests."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import pytest
from casino_contracts import TableAgentSkills, TableEvent
from casino_lobby.domain.room import Room
from casino_lobby.store import SqlStore, Store, StoreFailed
from casino_lobby.store.migrations import upgrade
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from support.table.table_side import config

OpenStore = Callable[[], Awaitable[SqlStore]]
POSTGRESQL = pytest.param("postgresql", marks=pytest.mark.postgres)
on_both_databases = pytest.mark.parametrize("kind", ["sqlite", POSTGRESQL])
"""Runs a test of SQL on PostgreSQL, too."""


async def create_tables(url: str) -> None:
    """Give an empty database the tables of this release."""
    engine = create_async_engine(url)
    async with engine.connect() as connection:
        await upgrade(connection)
    await engine.dispose()


def new_room(room_id: str = "r1", **changes: Any) -> Room:
    """Return an open room that plays at the table `t-<room>`."""
    room = Room(room_id, f"t-{room_id}", config(**changes), "texas-holdem", TableAgentSkills())
    room.phase = "open"
    return room


class EventFactory:
    """Builds the numbered events of a room's table."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.epoch = room.epoch
        self.sequence = 0

    def tell(self, event_type: str, message: str = "", /, **payload: Any) -> TableEvent:
        self.sequence += 1
        return TableEvent.model_validate(
            {
                "tableId": self.room.table_id,
                "eventType": event_type,
                "message": message or f"{event_type} {self.sequence}",
                "timestamp": "2026-11-20T19:43:00.123Z",
                "payload": payload or None,
                "sequence": self.sequence,
                "epoch": self.epoch,
            }
        )

    def takes_over(self) -> None:
        """Begin the next epoch, also in the room."""
        self.epoch += 1
        self.sequence = 0
        self.room.epoch, self.room.last_sequence = self.epoch, 0

    def registered(self, player_id: str, stack: float = 200, **more: Any) -> TableEvent:
        seat = {"playerId": player_id, "displayName": player_id.upper(), "seatNumber": 0}
        return self.tell("player_registered", **{**seat, "stack": stack, **more})

    def status(self, kind: str, status: str = "running", **more: Any) -> TableEvent:
        """Return a table_status event."""
        return self.tell("table_status", status=status, kind=kind, **more)

    def hand(self, number: int, stacks: Mapping[str, float], actions: int = 2) -> list[TableEvent]:
        return [
            self.tell("hand_started", handNumber=number),
            *(
                self.tell("action_taken", handNumber=number, playerId="p0", action="check")
                for _ in range(actions)
            ),
            self.tell(
                "hand_completed",
                handNumber=number,
                communityCards=[{"rank": "T", "suit": "diamonds"}, {"rank": "4", "suit": "spades"}],
                pots=[{"amount": 10, "winners": []}, {"amount": 4, "winners": []}],
                stacks=[{"playerId": who, "stack": stack} for who, stack in stacks.items()],
            ),
        ]

    def some(self, count: int) -> list[TableEvent]:
        return [self.tell("table_status", kind="returned", status="running") for _ in range(count)]


async def played(store: Store, room_id: str = "r1", hands: int = 3) -> tuple[Room, EventFactory]:
    """Add a room with two players and record hands."""
    room = new_room(room_id)
    await store.add(room)
    factory = EventFactory(room)
    await store.record(room, [factory.registered("p0"), factory.registered("p1")])
    await store.record(room, [factory.status("started")])
    for number in range(1, hands + 1):
        await store.record(room, factory.hand(number, {"p0": 200 + number, "p1": 200 - number}))
    return room, factory


async def delete_hands(store: SqlStore, room: Room, keep: int, most: int = 2_000) -> list[int]:
    """Delete all but the newest hands; returns how many events each commit deleted."""
    await store.save(room)
    kept = await store.retention.first_kept(room, keep)
    assert kept is not None
    commits = []
    while deleted := await store.retention.delete_before(room, kept, most):
        commits.append(deleted)
    return commits


def next_event(room: Room) -> list[TableEvent]:
    """Return an event that follows what a room has recorded."""
    factory = EventFactory(room)
    factory.sequence = room.last_sequence
    return factory.some(1)


async def fail_batch(store: SqlStore, room: Room) -> None:
    """Record a batch that fails: before the next one the room is read again, as after a restart."""
    events = next_event(room) * 2
    with pytest.raises(StoreFailed):
        await store.record(room, events)


async def change_rows(store: SqlStore, *statements: str, **values: object) -> None:
    async def change(connection: AsyncConnection) -> None:
        for statement in statements:
            await connection.execute(text(statement), values)

    await store.writer.write(change)


async def rows(store: SqlStore, query: str) -> list[tuple[Any, ...]]:
    async with store.database.reading() as connection:
        return [tuple(row) for row in await connection.execute(text(query))]


def numbers(events: Sequence[TableEvent]) -> list[int | None]:
    return [event.sequence for event in events]
