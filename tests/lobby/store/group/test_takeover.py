"""The rooms of a lost member become another member's, once; what it still writes is refused."""

import asyncio

import pytest
from casino_lobby.domain.lobby_events import RoomsTaken
from casino_lobby.store import Command, StoreFailed
from support.casino.store_side import EventFactory, new_room, next_event, numbers, played
from support.group.members import Lobbies, Member, equal_rooms
from support.processes import run_until

pytestmark = pytest.mark.postgres


async def owners_of(members: list[Member], count: int) -> list[Member]:
    """Wait until members own a number of rooms, and return those who own any."""
    await run_until(lambda: sum(len(member.own_ids()) for member in members) == count)
    return [member for member in members if member.store.own_rooms()]


async def superseded(member: Member) -> None:
    """Wait until a member has noticed that another one took its rooms."""
    await run_until(lambda: len(member.lost) == 1)
    assert not member.store.is_held


async def test_the_rooms_of_a_closed_member_move_to_another_one(lobbies: Lobbies) -> None:
    first, second = await lobbies.open(2)
    room, factory = await played(first.store)
    await first.store.record(room, factory.some(5))  # not in the saved room
    before = room.to_json()
    await first.store.close()
    await owners_of([second], 1)
    assert second.taken == [["r1"]]
    (taken,) = second.store.own_rooms()
    assert taken.to_json() == before
    assert list(taken.recent) == list(room.recent)
    await second.store.record(taken, factory.hand(4, {"p0": 190, "p1": 210}))
    assert taken.stacks == {"p0": 190, "p1": 210}
    assert taken.ledger.balances == {
        "cashier": -400,
        "player:p0": 190,
        "player:p1": 210,
    }
    assert numbers(await second.store.events(taken, 0, 100)) == list(range(1, factory.sequence + 1))


async def test_three_members_race_for_the_rooms_of_a_lost_one(lobbies: Lobbies) -> None:
    lost, *others = await lobbies.open(4)
    rooms = [new_room(f"r{number}") for number in range(20)]
    for room in rooms:
        await lost.store.add(room)
        await lost.store.record(room, EventFactory(room).some(2))
    for member in others:
        await member.follow()
    async with lost.frozen():
        late = [asyncio.ensure_future(lost.store.record(room, next_event(room))) for room in rooms]
        lobbies.cut_off(lost)
        (owner,) = await owners_of(others, 20)
    assert [member.taken for member in others if member is not owner] == [[], []]
    assert [sorted(ids) for ids in owner.taken] == [sorted(room.room_id for room in rooms)]
    outcomes = await asyncio.gather(*late, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [StoreFailed] * 20
    for room in rooms:
        with pytest.raises(StoreFailed, match="another lobby"):
            await lost.store.save(room)
    await superseded(lost)
    assert len(lobbies.cursors()) == 40
    for room in owner.store.own_rooms():
        await owner.store.record(room, next_event(room))
    await equal_rooms(others)
    assert [member.cursors for member in others] == [lobbies.cursors()] * 3
    assert {room.last_sequence for room in owner.store.rooms()} == {3}


async def test_a_pending_command_moves_too(lobbies: Lobbies) -> None:
    """The next owner gets it once, as a start would; its own commands are not repeated."""
    first, second = await lobbies.open(2)
    await first.store.commands.intend(Command("lost", "createRoom", "d1", "{}"))
    await first.store.commands.intend(Command("done", "createRoom", "d2", "{}"))
    await first.store.commands.finish("done", "{}")
    await second.store.commands.intend(Command("own", "createRoom", "d3", "{}"))
    address = await second.store.group.command_owner("lost")
    assert address is not None
    assert address.url == first.peer_url
    assert await second.store.group.command_owner("done") is None
    assert await second.store.group.command_owner("own") is None
    assert await second.store.commands.pending() == []
    await first.store.close()
    await run_until(lambda: second.taken == [[]])
    assert [command.key for command in await second.store.commands.pending()] == ["lost"]
    assert await second.store.commands.pending() == []
    assert await second.store.group.command_owner("lost") is None


async def test_a_command_is_resumed_after_its_room_was_taken(lobbies: Lobbies) -> None:
    """The rooms come first: the command may belong to one of them."""
    first, second = await lobbies.open(2)
    owned: list[bool] = []
    second.store.bus.subscribe(RoomsTaken, lambda _event: owned.append(second.own_ids() == ["r1"]))
    await first.store.add(new_room())
    await first.store.commands.intend(Command("pending", "createRoom", "d", "{}"))
    await first.store.close()
    await run_until(lambda: len(second.taken) == 2)
    assert second.taken == [["r1"], []]
    assert owned == [True, True]
    assert [command.key for command in await second.store.commands.pending()] == ["pending"]


async def test_the_next_holder_of_a_number_has_its_rooms(lobbies: Lobbies) -> None:
    """A lobby that starts again is quicker than the others, or there are none."""
    (first,) = await lobbies.open(1)
    await first.store.add(new_room())
    await first.store.commands.intend(Command("pending", "createRoom", "d", "{}"))
    await first.store.close()
    (second,) = await lobbies.open(1)
    assert lobbies.number(second) == 1
    assert second.own_ids() == ["r1"]
    assert [command.key for command in await second.store.commands.pending()] == ["pending"]
    assert second.taken == []


async def test_a_lost_member_that_regains_its_number_first_is_superseded_later(
    lobbies: Lobbies,
) -> None:
    """It has lost its lock for a moment only, but another member had its rooms."""
    first, second = await lobbies.open(2)
    room = new_room()
    await first.store.add(room)
    await second.follow()
    async with first.frozen():
        lobbies.cut_off(first)
        await owners_of([second], 1)
        await second.store.close()
    with pytest.raises(StoreFailed, match="another lobby"):
        await first.store.save(room)
    await superseded(first)
