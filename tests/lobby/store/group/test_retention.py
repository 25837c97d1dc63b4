"""Every member knows what the owner of a room has deleted."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from casino_contracts import HOLDEM
from casino_lobby.domain.room_views import CareerIds
from casino_lobby.errors import TooFarBehind
from casino_lobby.service.use_cases import CareerQueries
from casino_lobby.store import StoreFailed
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from support.casino.store_side import EventFactory, delete_hands, new_room, played, rows
from support.casino.streams import StreamHarness, events_in, read_to_end
from support.group.members import Lobbies, equal_rooms
from support.processes import run_until

pytestmark = pytest.mark.postgres


@asynccontextmanager
async def unread(lobbies: Lobbies) -> AsyncIterator[None]:
    """Let no member read what others commit: a table that it reads is locked."""
    engine = create_async_engine(lobbies.url)
    async with engine.begin() as connection:
        await connection.execute(text("LOCK TABLE removed_room IN ACCESS EXCLUSIVE MODE"))
        yield
    await engine.dispose()


FIRST = 3 + 50 * 4
"""How many events are before the newest 100 of 150 hands."""


async def test_every_member_has_the_oldest_cursor(lobbies: Lobbies) -> None:
    first, second = await lobbies.open(2)
    room, factory = await played(first.store, hands=150)
    await second.follow()
    assert sum(await delete_hands(first.store, room, 100, most=50)) == FIRST
    (third,) = await lobbies.open(1)
    await equal_rooms([first, second, third])
    deleted_until = lobbies.cursors()[0] - 1
    for member in (first, second, third):
        own = await member.room("r1")
        assert await member.store.retention.kept_from(own) == (1, FIRST + 1)
        assert member.store.retention.oldest_cursor() >= member.store.retention.oldest_cursor(own)
        assert (
            member.store.retention.oldest_cursor(own) == first.cursors[FIRST - 1] <= deleted_until
        )
        with pytest.raises(TooFarBehind):
            await member.store.committed(0, 10, own)
    await first.store.record(room, factory.some(3))
    await equal_rooms([first, second, third])
    assert third.cursors == lobbies.cursors()[-3:]
    assert second.cursors == first.cursors


async def test_only_the_owner_deletes(lobbies: Lobbies) -> None:
    first, second = await lobbies.open(2)
    room, _ = await played(first.store, hands=150)
    replica = await second.room("r1")
    await first.store.save(room)
    kept = await first.store.retention.first_kept(room, 100)
    assert kept is not None
    with pytest.raises(StoreFailed, match="another lobby's"):
        await second.store.retention.delete_before(replica, kept)
    async with first.frozen():  # it still believes to be the owner
        lobbies.cut_off(first)
        await run_until(lambda: second.store.group.owns(replica))
    replica = await second.room("r1")
    assert sum(await delete_hands(second.store, replica, 100)) == FIRST
    assert await rows(second.store, "SELECT count(*) FROM hand") == [(100,)]


async def test_a_member_that_had_not_read_them_ends_its_streams(lobbies: Lobbies) -> None:
    """Its rooms are right all the same, and its clients get no gap."""
    first, second = await lobbies.open(2)
    room, factory = await played(first.store, hands=1)
    harness = StreamHarness(second.store)
    replica = await second.room("r1")
    pages = harness.reader(replica)
    [snapshot] = events_in(await anext(pages))
    assert snapshot.name == "snapshot"
    async with unread(lobbies):
        hands = [
            factory.hand(number, {"p0": number, "p1": 400 - number}) for number in range(2, 301)
        ]
        await first.store.record(room, [event for hand in hands for event in hand])
        await delete_hands(first.store, room, 100)
    await equal_rooms([first, second])
    with pytest.raises(TooFarBehind):
        await read_to_end(pages)
    pages = harness.reader(await second.room("r1"), snapshot.id)
    [snapshot] = events_in(await anext(pages))
    assert (snapshot.name, snapshot.id) == ("snapshot", second.store.last_cursor)
    await pages.aclose()


async def test_one_member_deletes_archived_rooms(lobbies: Lobbies) -> None:
    """The active one of the lowest number; every member knows what is deleted."""
    first, second = await lobbies.open(2)
    room, _ = await played(second.store)
    await second.store.archive(room)
    await first.follow()
    await run_until(lambda: all(len(one.store.group.others()) == 1 for one in (first, second)))
    deleting = [member.store.retention.deletes_archived for member in (first, second)]
    assert deleting == [lobbies.number(first) == 1, lobbies.number(second) == 1]
    assert sorted(deleting) == [False, True]
    found = await first.store.retention.archived("r1")
    assert found is not None
    assert found.to_json() == room.to_json()
    newest = lobbies.cursors()[-1]
    assert await first.store.retention.delete_archived("r1") is False
    assert await second.store.retention.delete_archived("r1") is False  # there is nothing left
    await second.follow()
    assert lobbies.cursors() == []
    assert first.store.retention.oldest_cursor() == second.store.retention.oldest_cursor() == newest
    await played(second.store, "r1", hands=2)  # the id is free again
    await first.follow()
    assert first.cursors[-11:] == lobbies.cursors()


async def test_every_member_counts_the_rooms_that_one_has_archived(lobbies: Lobbies) -> None:
    first, second = await lobbies.open(2)
    careers = [
        CareerQueries(member.store, lambda: 0, CareerIds(b"a key")) for member in (first, second)
    ]
    for room_id in ("r1", "r2"):
        room = new_room(room_id)
        await first.store.add(room)
        factory = EventFactory(room)
        await first.store.record(room, [factory.registered("p0", agentCardUrl="http://ada/")])
        await first.store.record(room, factory.hand(1, {"p0": 201}))
    room.close("over")
    await first.store.archive(room)
    await second.follow()
    for queries in careers:
        [line] = (await queries.ranking(HOLDEM, None, 10)).players
        assert (line.hands, line.rooms) == (2, 2)
