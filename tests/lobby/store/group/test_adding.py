"""Two members add rooms with the same ids: one of them is refused, and nothing is deleted."""

import asyncio

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import Reason
from support.casino.store_side import EventFactory, new_room
from support.group.members import Lobbies, equal_rooms

pytestmark = pytest.mark.postgres


async def test_the_same_room_id_at_two_members(lobbies: Lobbies) -> None:
    members = await lobbies.open(3)
    for number in range(10):
        rooms = [new_room(f"r{number}", smallBlind=blind) for blind in (0.5, 1, 2)]
        outcomes = await asyncio.gather(
            *(m.store.add(room) for m, room in zip(members, rooms, strict=True)),
            return_exceptions=True,
        )
        refused = [outcome for outcome in outcomes if outcome is not None]
        assert [getattr(outcome, "reason", outcome) for outcome in refused] == [
            Reason.ROOM_EXISTS,
            Reason.ROOM_EXISTS,
        ]
        await equal_rooms(members)
        winner = outcomes.index(None)
        assert members[winner].store.room(f"r{number}") is rooms[winner]
        owners = [f"r{number}" in member.own_ids() for member in members]
        assert owners == [index == winner for index in range(3)]


async def test_the_same_table_id_at_two_members(lobbies: Lobbies) -> None:
    first, second = await lobbies.open(2)
    room, other = new_room("r1"), new_room("r2")
    other.table_id = room.table_id
    await first.store.add(room)
    with pytest.raises(CommandRefused) as refused:
        await second.store.add(other)
    assert refused.value.reason == Reason.TABLE_ID_TAKEN
    await equal_rooms([first, second])
    table_room = second.store.room_of_table(room.table_id)
    assert table_room is not None
    assert table_room.room_id == "r1"


async def test_the_events_of_another_members_room_stay(lobbies: Lobbies) -> None:
    first, second = await lobbies.open(2)
    room = new_room()
    await first.store.add(room)
    await first.store.record(room, EventFactory(room).some(3))
    with pytest.raises(CommandRefused):
        await second.store.add(new_room())
    assert lobbies.cursors() == first.cursors
    await equal_rooms([first, second])
