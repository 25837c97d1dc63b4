"""What hands are checked with is kept as long as they are, and is the first that was recorded."""

from casino_lobby.domain.room import Room
from casino_lobby.store import MemoryStore, SqlStore, Store
from support.casino.fair_events import block_of, committed_to, contributed_to, fair_hand
from support.casino.store_side import (
    EventFactory,
    OpenStore,
    delete_hands,
    new_room,
    on_both_databases,
    rows,
)


async def fair_blocks(store: Store, blocks: int) -> Room:
    """Play blocks of two hands; each is committed to twice, with another secret."""
    room = new_room()
    room.secret = "the room's secret"
    await store.add(room)
    factory = EventFactory(room)
    await store.record(room, [factory.registered("p0"), factory.registered("p1")])
    for number in range(1, blocks + 1):
        first = 2 * number - 1
        commitment = committed_to(room, number, first)
        other = committed_to(room, number, first, secret=b"t" * 32)
        await store.record(
            room,
            [
                factory.status("deal_committed", commitment=commitment),
                factory.status("deal_committed", commitment=other),
            ],
        )
        said = contributed_to(room, commitment)
        hands = [fair_hand(factory, first + hand, commitment["block"]) for hand in range(2)]
        contributed = factory.status("deal_contributed", contributed=said)
        await store.record(room, [contributed, *hands[0], *hands[1]])
    return room


async def kept_blocks(store: Store, room: Room, blocks: int) -> list[int]:
    numbers = range(1, blocks + 1)
    return [number for number in numbers if await store.hands.deal(room, block_of(room, number))]


async def test_the_first_commitment_of_a_block_is_kept(every_store: Store) -> None:
    room = await fair_blocks(every_store, 2)
    deal = await every_store.hands.deal(room, block_of(room, 2))
    assert deal is not None
    again = new_room()
    again.secret = room.secret
    assert deal.committed == committed_to(again, 2, first=3)
    assert deal.contributed["block"] == deal.committed["block"]
    assert await every_store.hands.deal(room, block_of(room, 3)) is None
    assert await every_store.hands.deal(new_room("r1"), "t-r2/1/1") is None


async def test_a_block_without_contributions_is_none(any_store: Store) -> None:
    room = new_room()
    await any_store.add(room)
    commitment = committed_to(room)
    status = EventFactory(room).status
    await any_store.record(room, [status("deal_committed", commitment=commitment)])
    assert await any_store.hands.deal(room, commitment["block"]) is None


@on_both_databases
async def test_a_block_is_deleted_with_its_last_hand(store: SqlStore) -> None:
    room = await fair_blocks(store, 60)
    await delete_hands(store, room, 61)
    assert await kept_blocks(store, room, 60) == list(range(30, 61))
    await delete_hands(store, room, 60)
    assert await kept_blocks(store, room, 60) == list(range(31, 61))
    room.close("over")
    await store.archive(room)
    assert await kept_blocks(store, room, 60) == list(range(31, 61))
    while await store.retention.delete_archived(room.room_id):
        pass
    assert await rows(store, "SELECT * FROM deal") == []


async def test_memory_forgets_a_block_with_its_last_hand() -> None:
    store = MemoryStore(events_kept=9)
    room = await fair_blocks(store, 4)
    assert [hand.key.number for hand in await store.hands.page(room, None, 9)] == [7, 8]
    assert await kept_blocks(store, room, 4) == [4]


async def test_a_restart_goes_on_with_the_block(open_store: OpenStore) -> None:
    before = await open_store()
    room = await fair_blocks(before, 2)
    expected = room.deals
    await before.close()
    again = await open_store()
    (restored,) = again.rooms()
    assert restored.deals == expected
    assert restored.deals.mark is not None
    assert await kept_blocks(again, restored, 2) == [1, 2]
