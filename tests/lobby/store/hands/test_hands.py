"""Completed hands are found by number, and listed in either order."""

import pytest
from casino_lobby.store import HandKey, MemoryStore, Store, StoredHand
from support.casino.store_side import EventFactory, new_room


def keys(hands: list[StoredHand]) -> list[tuple[int, int]]:
    return [(hand.key.epoch, hand.key.number) for hand in hands]


async def test_hands_are_listed_by_pages_from_both_ends(every_store: Store) -> None:
    room, other = new_room(), new_room("r2")
    factory = EventFactory(room)
    await every_store.add(room)
    await every_store.add(other)
    assert await every_store.hands.page(room, None, 10) == []
    for number in (1, 2, 3):
        await every_store.record(room, factory.hand(number, {"p0": 200}))
    await every_store.record(other, EventFactory(other).hand(9, {"p0": 200}))
    factory.takes_over()
    for number in (3, 4):
        await every_store.record(room, factory.hand(number, {"p0": 200}))
    every = [(1, 1), (1, 2), (1, 3), (2, 3), (2, 4)]
    assert keys(await every_store.hands.page(room, None, 10)) == every
    assert keys(await every_store.hands.page(room, HandKey(1, 2), 2)) == every[2:4]
    assert keys(await every_store.hands.page(room, HandKey(2, 4), 2)) == []
    newest = every[::-1]
    assert keys(await every_store.hands.page(room, None, 2, newest_first=True)) == newest[:2]
    rest = await every_store.hands.page(room, HandKey(2, 3), 9, newest_first=True)
    assert keys(rest) == newest[2:]


async def test_one_hand_is_found_by_its_number(any_store: Store) -> None:
    room = new_room()
    factory = EventFactory(room)
    await any_store.add(room)
    first = factory.hand(1, {"p0": 200})
    await any_store.record(room, first)
    factory.takes_over()
    again = factory.hand(1, {"p0": 150})
    await any_store.record(room, [*again, *factory.hand(2, {"p0": 150})])
    found = await any_store.hands.find(room, 1)
    assert found is not None
    assert (found.key, found.first_sequence, found.completed) == ((2, 1), 1, again[-1])
    old = await any_store.hands.find(room, 1, 1)
    assert old is not None
    assert old.completed == first[-1]
    assert await any_store.hands.find(room, 2, 1) is None
    assert await any_store.hands.find(room, 3) is None


async def test_incomplete_hands_of_other_tables_are_listed(any_store: Store) -> None:
    room = new_room()
    factory = EventFactory(room)
    await any_store.add(room)
    batch = [
        factory.tell("hand_completed", handNumber=5),
        factory.tell("hand_completed", "again", handNumber=5),
        factory.tell("hand_completed", handNumber=0),
        factory.tell("hand_completed", handNumber="6"),
        factory.tell("hand_completed", handNumber=True),
        factory.tell("hand_completed"),
        factory.tell("hand_completed", handNumber=3),
    ]
    await any_store.record(room, batch)
    hands = await any_store.hands.page(room, None, 10)
    assert keys(hands) == [(1, 3), (1, 5)]
    assert hands[1].first_sequence is None
    assert hands[1].completed == batch[0]


@pytest.mark.parametrize("kept", [4, 7])
async def test_memory_drops_a_hand_with_its_first_event(kept: int) -> None:
    """Every listed hand can be read whole."""
    store, room = MemoryStore(kept), new_room()
    factory = EventFactory(room)
    await store.add(room)
    for number in range(1, 6):
        await store.record(room, factory.hand(number, {"p0": 200}))
    assert keys(await store.hands.page(room, None, 10)) == [(1, 5)]
    assert (await store.hands.find(room, 4)) is None
    factory.takes_over()
    await store.record(room, factory.some(kept))
    assert await store.hands.page(room, None, 10) == []
