"""The best hands of a room: scored once, found by score, pot, player and kind."""

from casino_contracts import TableEvent
from casino_lobby.domain.room import Room
from casino_lobby.store import (
    HandFilter,
    HandKey,
    Rank,
    RankedKey,
    SqlStore,
    Store,
    StoredHand,
)
from casino_lobby.store.sql_hands import SqlHands
from support.casino.store_side import (
    EventFactory,
    OpenStore,
    delete_hands,
    new_room,
    rows,
)

PLAYERS = ("ada", "bob")
SCORES = "SELECT epoch, hand_number, score, kinds, players FROM hand ORDER BY epoch, hand_number"


def hand(
    factory: EventFactory, number: int, pot: int, players: tuple[str, ...] = PLAYERS
) -> list[TableEvent]:
    """Return a hand with big blind 2; it is all-in for a pot of 100 or more."""
    first, *_, last = players
    seats = [
        {"playerId": who, "displayName": who, "seatNumber": seat, "stack": pot}
        for seat, who in enumerate(players)
    ]
    winners = [{"playerId": last, "amount": pot}]
    return [
        factory.tell("hand_started", handNumber=number, bigBlind=2, players=seats),
        factory.tell(
            "action_taken",
            handNumber=number,
            playerId=first,
            action="call",
            stack=0 if pot >= 100 else 5,
            outcome="ok",
        ),
        factory.tell(
            "hand_completed",
            handNumber=number,
            pots=[{"amount": pot, "winners": winners}],
            stacks=[{"playerId": last, "stack": 2 * pot}],
        ),
    ]


def keys(hands: list[StoredHand]) -> list[HandKey]:
    return [one.key for one in hands]


async def play(store: Store, *pots: int) -> tuple[Room, EventFactory]:
    """Record a hand for each pot, in room r1."""
    room = new_room()
    await store.add(room)
    factory = EventFactory(room)
    for number, pot in enumerate(pots, start=1):
        await store.record(room, hand(factory, number, pot))
    return room, factory


async def every(store: Store, room: Room, by: Rank, limit: int) -> list[int]:
    """Return the numbers of the best hands, read in pages."""
    seen: list[int] = []
    after: RankedKey | None = None
    while page := await store.hands.best(room, after, limit, by=by):
        seen += [one.key.number for one in page]
        after = page[-1].ranked(by)
    return seen


async def test_the_best_come_first_by_pages(every_store: Store) -> None:
    room, factory = await play(every_store, 20, 300, 20, 80, 300)
    for by in ("score", "pot"):
        for limit in (1, 2, 10):
            assert await every(every_store, room, by, limit) == [5, 2, 4, 3, 1]
    [first] = await every_store.hands.best(room, None, 1, by="score")
    assert (first.score, first.pot, first.kinds) == (150 + 40, 300, ("big-pot", "all-in"))
    await every_store.record(room, hand(factory, 6, 400))
    await every_store.record(room, hand(factory, 7, 30))
    rest = await every_store.hands.best(room, first.ranked("score"), 10, by="score")
    assert [one.key.number for one in rest] == [2, 4, 7, 3, 1]


async def test_hands_are_chosen_by_player_kind_and_place(every_store: Store) -> None:
    room, factory = await play(every_store, 20, 300)
    await every_store.record(room, hand(factory, 3, 50, ("ad", "bob%")))
    factory.takes_over()
    await every_store.record(room, hand(factory, 3, 200, ("Ada", "bob", "eve")))

    async def best(among: HandFilter) -> list[HandKey]:
        found = keys(await every_store.hands.best(room, None, 10, by="pot", among=among))
        in_order = keys(await every_store.hands.page(room, None, 10, among=among))
        newest = keys(await every_store.hands.page(room, None, 10, newest_first=True, among=among))
        assert sorted(found) == in_order == newest[::-1]
        return found

    assert await best(HandFilter(player="ada")) == [(1, 2), (1, 1)]
    assert await best(HandFilter(player="bob")) == [(1, 2), (2, 3), (1, 1)]
    assert await best(HandFilter(player="bob%")) == [(1, 3)]
    assert await best(HandFilter(player="b")) == []
    assert await best(HandFilter(kind="all-in")) == [(1, 2), (2, 3)]
    assert await best(HandFilter(kind="fault")) == []
    assert await best(HandFilter(since=HandKey(1, 2))) == [(1, 2), (2, 3), (1, 3)]
    wanted = HandFilter(player="bob", kind="all-in", since=HandKey(2, 1))
    assert await best(wanted) == [(2, 3)]


async def test_a_search_reads_only_the_newest_hands(store: SqlStore) -> None:
    """By kind or player, which no index has; another list reads all."""
    room, _ = await play(store, 300, 20, 300)
    hands = SqlHands(store.database, store.unreadable, most_searched=2)
    for among in (HandFilter(player="ada"), HandFilter(player="ada", since=HandKey(1, 1))):
        assert keys(await hands.page(room, None, 10, among=among)) == [(1, 2), (1, 3)]
        best = await hands.best(room, None, 10, by="score", among=among)
        assert keys(best) == [(1, 3), (1, 2)]
    later = HandFilter(kind="all-in", since=HandKey(1, 3))
    assert keys(await hands.page(room, None, 10, among=later)) == [(1, 3)]
    assert len(await hands.page(room, None, 10)) == 3


async def test_a_hand_without_a_pot_is_not_among_the_largest(any_store: Store) -> None:
    room, factory = await play(any_store, 20)
    await any_store.record(room, [factory.tell("hand_completed", handNumber=2)])
    assert await every(any_store, room, "pot", 5) == [1]
    assert await every(any_store, room, "score", 5) == [1, 2]


async def test_a_score_spans_batches_and_restarts(open_store: OpenStore) -> None:
    store = await open_store()
    room = new_room()
    await store.add(room)
    begin, action, end = hand(EventFactory(room), 1, 300)
    await store.record(room, [begin])
    await store.record(room, [action])
    await store.close()
    again = await open_store()
    [loaded] = again.rooms()
    await again.record(loaded, [end])
    assert await rows(again, SCORES) == [(1, 1, 190, "big-pot all-in", "ada\nbob")]


async def test_deleted_hands_are_not_among_the_best(store: SqlStore) -> None:
    room, _ = await play(store, 300, *[20] * 120)
    await delete_hands(store, room, 70)
    assert 1 not in await every(store, room, "score", 50)
    assert len(await every(store, room, "pot", 50)) == await store.retention.stored_hands(room)
