"""A lobby's store in a process of its own, which records without end until it is killed.

Prints a line after the commit of every batch: room, epoch, last sequence.
"""

import asyncio
import sys

from casino_contracts import TableEvent
from casino_lobby.domain.room import Room
from casino_lobby.store import SqlStore

from support.casino.store_side import EventFactory, new_room


async def main(url: str) -> None:
    """Let four rooms play."""
    store = SqlStore(url)
    await store.open()
    await asyncio.gather(*(play(store, f"r{number}") for number in range(4)))


async def play(store: SqlStore, room_id: str) -> None:
    """Play for ever: one chip goes to and fro."""
    room = new_room(room_id)
    await store.add(room)
    teller = EventFactory(room)
    await store.record(room, [teller.registered("p0"), teller.registered("p1")])
    for number in range(1, 1_000_000):
        swing = number % 3
        await record(store, room, teller.hand(number, {"p0": 200 + swing, "p1": 200 - swing}))


async def record(store: SqlStore, room: Room, events: list[TableEvent]) -> None:
    """Record, and say so."""
    await store.record(room, events)
    sys.stdout.write(f"{room.room_id} {room.last_sequence}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
