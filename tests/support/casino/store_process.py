"""A lobby's store in a process, which records events until it is killed.

Prints a line after the commit of every batch: room, epoch, last sequence.
"""

import asyncio
import sys

from casino_contracts import TableEvent
from casino_lobby.domain.room import Room
from casino_lobby.store import SqlStore

from support.casino.store_side import EventFactory, new_room


async def main(url: str) -> None:
    """Record events of four rooms."""
    store = SqlStore(url)
    await store.open()
    await asyncio.gather(*(play(store, f"r{number}") for number in range(4)))


async def play(store: SqlStore, room_id: str) -> None:
    """Record hands without end, which move one chip back and forth."""
    room = new_room(room_id)
    await store.add(room)
    factory = EventFactory(room)
    await store.record(room, [factory.registered("p0"), factory.registered("p1")])
    for number in range(1, 1_000_000):
        swing = number % 3
        await record(store, room, factory.hand(number, {"p0": 200 + swing, "p1": 200 - swing}))


async def record(store: SqlStore, room: Room, events: list[TableEvent]) -> None:
    """Record events, and print that they were confirmed."""
    await store.record(room, events)
    sys.stdout.write(f"{room.room_id} {room.last_sequence}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
