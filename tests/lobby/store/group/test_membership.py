"""Members of a group: their numbers, their rooms, their terms, and a single lobby beside them."""

import asyncio
from pathlib import Path

import pytest
from casino_lobby.store import SqlStore, StoreFailed
from casino_lobby.store.lobby_store import Member as Address
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection
from support.casino.postgres import Postgres
from support.casino.store_side import EventFactory, new_room, next_event, rows
from support.group.members import Lobbies, Member, equal_rooms
from support.processes import run_until

pytestmark = pytest.mark.postgres


async def test_members_have_their_own_numbers_and_rooms(lobbies: Lobbies) -> None:
    members = await lobbies.open(3)
    assert sorted(map(lobbies.number, members)) == [1, 2, 3]
    for index, member in enumerate(members):
        await member.store.add(new_room(f"r{index}"))
    for member in members:
        await member.follow()
    assert [member.own_ids() for member in members] == [["r0"], ["r1"], ["r2"]]
    for member in members:
        for owner, room_id in zip(members, ("r0", "r1", "r2"), strict=True):
            room = await member.room(room_id)
            address = Address(lobbies.number(owner), owner.peer_url)
            assert member.store.group.owns(room) is (owner is member)
            assert member.store.group.owner_of(room) == (None if owner is member else address)


async def test_members_see_each_other(lobbies: Lobbies) -> None:
    first, second = await lobbies.open(2)
    await run_until(first.store.group.others)
    assert first.store.group.others() == [Address(lobbies.number(second), second.peer_url)]
    await second.store.close()
    await run_until(lambda: not first.store.group.others())


async def test_a_room_of_another_member_is_not_changed(lobbies: Lobbies) -> None:
    first, second = await lobbies.open(2)
    await first.store.add(new_room())
    replica = await second.room("r1")
    for change in (
        second.store.save(replica),
        second.store.remove(replica),
        second.store.archive(replica),
        second.store.record(replica, EventFactory(replica).some(1)),
    ):
        with pytest.raises(StoreFailed, match="another lobby's"):
            await change
    await equal_rooms([first, second])
    assert lobbies.cursors() == []


async def test_a_member_whose_lock_nobody_took_goes_on(lobbies: Lobbies) -> None:
    (member,) = await lobbies.open(1)
    room = new_room()
    await member.store.add(room)
    factory = EventFactory(room)
    await member.store.record(room, factory.some(2))
    async with member.frozen():
        lobbies.cut_off(member)
    await run_until(lambda: member.store.is_held)
    await member.store.record(room, factory.some(2))
    await member.follow()
    assert member.cursors == lobbies.cursors()
    assert len(member.cursors) == 4
    assert (member.lost, member.taken) == ([], [])
    assert await rows(member.store, "SELECT number, term FROM lobby_member WHERE number > 0") == [
        (1, 1)
    ]


async def test_a_single_lobby_and_a_group_exclude_each_other(postgres_server: Postgres) -> None:
    """The rooms of a single lobby belong to the first member, and the other way round."""
    url = postgres_server.new_url()
    single, member = SqlStore(url), Member(url, "http://lobby-1")
    await single.open()
    assert not await member.store.claim()
    room = new_room()
    await single.add(room)
    await single.record(room, EventFactory(room).some(3))
    await single.close()
    assert await member.store.claim()
    await member.store.open()
    assert member.own_ids() == ["r1"]
    assert member.store.last_cursor >= 3
    later = SqlStore(url)
    assert not await later.claim()
    await member.store.record(member.store.rooms()[0], next_event(member.store.rooms()[0]))
    newest = member.cursors[-1]
    assert newest > 3
    await member.store.close()
    assert await later.claim()
    await later.open()
    assert later.rooms()[0].last_sequence == 4
    await later.record(later.rooms()[0], next_event(later.rooms()[0]))
    assert later.last_cursor > newest
    await later.close()


async def test_a_frozen_member_is_superseded_by_a_single_lobby(lobbies: Lobbies) -> None:
    (member,) = await lobbies.open(1)
    room = new_room()
    await member.store.add(room)
    async with member.frozen():
        lobbies.cut_off(member)
        single = SqlStore(lobbies.url)
        await single.open()
        await single.close()
    with pytest.raises(StoreFailed, match="another lobby"):
        await member.store.record(room, EventFactory(room).some(1))
    assert [event.term for event in member.lost] == [1]
    assert lobbies.cursors() == []


async def test_a_frozen_single_lobby_is_superseded_by_a_group(lobbies: Lobbies) -> None:
    single = SqlStore(lobbies.url)
    await single.open()
    room = new_room()
    await single.add(room)
    begun, may_end = asyncio.Event(), asyncio.Event()

    async def hold(connection: AsyncConnection) -> None:
        await connection.execute(text("SELECT 1"))
        begun.set()
        await may_end.wait()
        await connection.execute(text("SELECT 1"))

    holding = asyncio.ensure_future(single.writer.write(hold))
    await begun.wait()
    lobbies.server.end_sessions()
    (member,) = await lobbies.open(1)
    await member.store.close()
    may_end.set()
    with pytest.raises(StoreFailed):
        await holding
    with pytest.raises(StoreFailed, match="another lobby"):
        await single.record(room, EventFactory(room).some(1))
    await single.close()


async def test_a_group_needs_postgresql(tmp_path: Path) -> None:
    store = SqlStore(f"sqlite+aiosqlite:///{tmp_path}/casino.db", peer_url="http://lobby-1")
    with pytest.raises(StoreFailed, match="PostgreSQL"):
        await store.open()
