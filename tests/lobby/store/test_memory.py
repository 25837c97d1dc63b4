"""The store in memory keeps the newest events of each room."""

from casino_lobby.store import MemoryStore
from support.casino.store_side import EventFactory, new_room, numbers


async def test_the_oldest_events_are_dropped_first() -> None:
    """Across epochs."""
    store, room = MemoryStore(5), new_room()
    await store.add(room)
    factory = EventFactory(room)
    await store.record(room, factory.some(6))
    assert numbers(await store.events(room, 0, 9)) == [2, 3, 4, 5, 6]
    factory.takes_over()
    await store.record(room, factory.some(3))
    assert numbers(await store.events(room, 0, 9, epoch=1)) == [5, 6]
    await store.record(room, factory.some(3))
    assert await store.events(room, 0, 9, epoch=1) == []
    assert numbers(await store.events(room, 0, 9)) == [2, 3, 4, 5, 6]
