"""A store that ends with its process keeps the newest events of each room."""

from casino_lobby.store import MemoryStore
from support.casino.store_side import EventFactory, new_room, numbers


async def test_the_oldest_events_are_forgotten_first() -> None:
    """Whichever epoch they are of."""
    store, room = MemoryStore(5), new_room()
    await store.add(room)
    teller = EventFactory(room)
    await store.record(room, teller.some(6))
    assert numbers(await store.events(room, 0, 9)) == [2, 3, 4, 5, 6]
    teller.takes_over()
    await store.record(room, teller.some(3))
    assert numbers(await store.events(room, 0, 9, epoch=1)) == [5, 6]
    await store.record(room, teller.some(3))
    assert await store.events(room, 0, 9, epoch=1) == []
    assert numbers(await store.events(room, 0, 9)) == [2, 3, 4, 5, 6]
