"""The results of archived rooms count in the players' careers, as long as the rooms are kept."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from casino_contracts import HOLDEM
from casino_lobby.domain.room_views import CareerIds
from casino_lobby.service.use_cases import CareerQueries
from casino_lobby.store import SqlStore
from casino_lobby.store.room_rows import Archive
from sqlalchemy import event
from support.casino.store_side import (
    EventFactory,
    OpenStore,
    change_rows,
    new_room,
    on_both_databases,
)

IDS = CareerIds(b"a key")
NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


def ticking() -> Callable[[], float]:
    """Return a clock that is ten seconds later at each look, so that nothing is served again."""
    looks = iter(range(0, 10**6, 10))
    return lambda: next(looks)


async def play(store: SqlStore, room_id: str, hands: int) -> None:
    """Play hands that `http://ada/` wins, and archive the room."""
    room = new_room(room_id)
    await store.add(room)
    factory = EventFactory(room)
    cards = {"p0": "http://ada/", "p1": "http://bob/"}
    await store.record(
        room,
        [factory.registered(player, agentCardUrl=card) for player, card in cards.items()],
    )
    for number in range(1, hands + 1):
        stacks = {"p0": 200 + number, "p1": 200 - number}
        await store.record(room, factory.hand(number, stacks))
    await store.record(room, [factory.status("closed", "idle")])
    room.close("over")


async def archive(store: SqlStore, room_id: str, minute: int) -> None:
    room = store.room(room_id)
    assert room is not None
    store._archive = Archive(store.database, lambda: NOON + timedelta(minutes=minute))
    await store.archive(room)


async def hands_of(careers: CareerQueries) -> list[int]:
    return [line.hands for line in (await careers.ranking(HOLDEM, None, 10)).players]


@on_both_databases
async def test_a_room_counts_until_it_is_deleted(store: SqlStore, open_store: OpenStore) -> None:
    for room_id, hands in (("r1", 3), ("r2", 5), ("r3", 7)):
        await play(store, room_id, hands)
    careers = CareerQueries(store, ticking(), IDS)
    assert await hands_of(careers) == [15, 15]
    await archive(store, "r1", 0)
    assert await hands_of(careers) == [15, 15]
    await archive(store, "r2", 1)
    page = await careers.career((await careers.ranking(HOLDEM, None, 1)).players[0].id)
    assert [(room.room_id, room.state) for room in page.rooms] == [
        ("r3", "closed"),
        ("r2", "archived"),
        ("r1", "archived"),
    ]
    assert await store.retention.archived_ids(1) == ["r2"]
    await store.close()
    again = await open_store()
    careers = CareerQueries(again, ticking(), IDS)
    assert await hands_of(careers) == [15, 15]
    while await again.retention.delete_archived("r1"):
        pass
    assert await hands_of(careers) == [12, 12]


async def test_archived_rooms_are_read_once_and_by_tens_without_their_events(
    store: SqlStore,
) -> None:
    for number in range(21):
        await play(store, f"r{number}", 1)
        await archive(store, f"r{number}", number)
    statements: list[str] = []

    @event.listens_for(store.database.engine.sync_engine, "before_cursor_execute")
    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        statements.append(statement)

    careers = CareerQueries(store, ticking(), IDS)
    found = await careers.ranking(HOLDEM, None, 1)
    assert (found.archived_rooms, found.players[0].rooms) == (21, 21)
    assert len([said for said in statements if "content" in said]) == 3
    assert not any("FROM event" in said for said in statements)
    assert len(statements) == 4
    await careers.ranking(HOLDEM, None, 1)
    assert len(statements) == 5


async def test_an_unreadable_room_counts_for_nothing(store: SqlStore) -> None:
    for minute, room_id in enumerate(("r1", "r2")):
        await play(store, room_id, 3)
        await archive(store, room_id, minute)
    await change_rows(store, "UPDATE room SET content = 'no JSON' WHERE room_id = 'r1'")
    assert await hands_of(CareerQueries(store, ticking(), IDS)) == [3, 3]


async def test_what_was_merged_is_served_again_for_a_moment(store: SqlStore) -> None:
    await play(store, "r1", 3)
    now = [0.0]
    careers = CareerQueries(store, lambda: now[0], IDS)
    assert await hands_of(careers) == [3, 3]
    await play(store, "r2", 3)
    assert await hands_of(careers) == [3, 3]
    now[0] += 5
    assert await hands_of(careers) == [6, 6]
