"""All members publish the same events in the same order, and have the same rooms."""

import asyncio
import json
import random

import pytest
from casino_contracts import Waiting, WaitReason
from casino_lobby.domain.reported_event import written
from casino_lobby.domain.room_addresses import WAITING
from casino_lobby.event_stream import Broadcaster
from casino_lobby.store import StoreFailed
from casino_lobby.store.commit_follower import PAGE
from casino_lobby.store.publications import Publication
from casino_lobby.store.stored_rows import packed
from casino_lobby.stream_reader import StreamReader
from support.casino.store_side import EventFactory, fail_batch, new_room, played
from support.group.members import Lobbies, Member, equal_rooms
from support.processes import run_until

pytestmark = pytest.mark.postgres


async def play(member: Member, room_id: str, dice: random.Random) -> None:
    """Open a room and do many things in it, in a random order."""
    store, room = member.store, new_room(room_id)
    room.phase = "opening"
    await store.add(room)
    room.open()
    await store.save(room)
    factory = EventFactory(room)
    await store.record(room, [factory.registered("p0"), factory.registered("p1")])
    await store.record(room, [factory.status("started")])
    hands = 0
    for _ in range(12):
        match dice.choice(["hand", "hand", "some", "save", "both", "epoch"]):
            case "hand":
                hands += 1
                stack = dice.randrange(400)
                batch = factory.hand(hands, {"p0": stack, "p1": 400 - stack})
                for event in batch:
                    await store.record(room, [event])
            case "some":
                await store.record(room, factory.some(dice.randrange(1, 5)))
            case "save":
                room.game_config = {"dice": dice.random()}
                await store.save(room)
            case "both":  # the saved state has no event of the batch that is being committed
                await asyncio.gather(store.record(room, factory.some(3)), store.save(room))
            case "epoch":
                factory.takes_over()
                await store.save(room)


async def test_every_member_publishes_the_identical_sequence(lobbies: Lobbies) -> None:
    """Under concurrent commits of three: no gap, no duplicate; each event is somebody's own."""
    members = await lobbies.open(3)
    dice = random.Random(16)
    await asyncio.gather(*(play(members[number % 3], f"r{number}", dice) for number in range(24)))
    await equal_rooms(members)
    stored = lobbies.cursors()
    assert len(stored) > 500
    for member in members:
        assert member.cursors == stored
    own = [cursor for member in members for cursor in member.own_cursors]
    assert sorted(own) == stored
    assert len({member.store.last_cursor for member in members}) == 1


async def test_a_stream_resumes_at_another_member(lobbies: Lobbies) -> None:
    """`reach` waits for the cursor; the events after it are the same everywhere."""
    first, second = await lobbies.open(2)
    room, _ = await played(first.store)
    cursor = first.cursors[3]
    await second.store.group.reach(first.store.last_cursor)
    assert second.store.last_cursor >= cursor
    assert second.store.room("r1") is not None
    after = await second.store.committed(cursor, 1_000)
    assert [item.cursor for item in after] == first.cursors[4:]
    assert list((await second.room("r1")).recent) == list(room.recent)
    with pytest.raises(StoreFailed, match="is committed"):
        await second.store.group.reach(first.store.last_cursor + 1_000)


async def test_a_cursor_of_another_member_needs_no_snapshot(lobbies: Lobbies) -> None:
    """A stream that resumes there begins with the next event, although it is not followed yet."""
    first, second = await lobbies.open(2)
    room, factory = await played(first.store)
    await second.follow()
    await first.store.record(room, factory.some(3))
    after, *rest = first.cursors[-3:]
    pages = StreamReader(second.store, Broadcaster(100), None, after).pages()
    page = await anext(pages)
    assert [item.cursor for item in page] == rest
    await pages.aclose()


async def test_a_room_is_found_as_soon_as_it_is_stored(lobbies: Lobbies) -> None:
    first, second = await lobbies.open(2)
    for number in range(20):
        await first.store.add(new_room(f"r{number}"))
        room = await second.store.group.find(f"r{number}")
        assert room is not None
        assert not second.store.group.owns(room)
    assert await second.store.group.find("unknown") is None


async def test_a_room_of_another_member_opens_moves_and_closes(lobbies: Lobbies) -> None:
    """What `RoomChanged` reports is published everywhere, after the events before it."""
    first, second = await lobbies.open(2)
    room = new_room()
    room.phase = "opening"
    await first.store.add(room)
    seen: list[tuple[str, str, int]] = []

    async def saves() -> None:
        await first.store.save(room)
        replica = await second.room("r1")
        seen.append((replica.phase, replica.table_card_url, len(second.cursors)))

    await second.follow()
    room.open()
    await saves()
    await first.store.record(room, EventFactory(room).some(2))
    room.lose_table(Waiting.of(WaitReason.NO_TABLE, "2026-11-29T10:00:00Z"))
    await saves()
    room.find_table()
    room.move_table("http://table")
    await saves()
    room.begin_closing()
    await saves()
    room.close("over")
    await saves()
    assert seen == [
        ("open", "", 0),
        ("open", "", 2),
        ("open", "http://table", 2),
        ("closing", "http://table", 2),
        ("closed", "http://table", 2),
    ]
    assert [phase for _, phase in second.changed] == ["open", "open", "open", "closed"]
    assert room.state != WAITING


async def test_archived_and_removed_rooms_disappear_everywhere(lobbies: Lobbies) -> None:
    first, second = await lobbies.open(2)
    archived, removed, kept = new_room("archived"), new_room("removed"), new_room("kept")
    for room in (archived, removed, kept):
        await first.store.add(room)
    await first.store.record(archived, EventFactory(archived).some(2))
    await second.follow()
    archived.close("over")
    await first.store.save(archived)
    await first.store.archive(archived)
    await first.store.remove(removed)
    (third,) = await lobbies.open(1)
    for member in (first, second, third):
        await member.follow()
        assert [room.room_id for room in member.store.rooms()] == ["kept"]
        assert member.store.room_of_table("t-removed") is None
        assert member.own_ids() == (["kept"] if member is first else [])
    assert second.archived == ["archived"]
    assert second.changed[-2:] == [("archived", "closed"), ("removed", "open")]
    again = new_room("removed")
    await second.store.add(again)
    await equal_rooms([first, second, third])
    assert second.own_ids() == ["removed"]


async def test_a_large_commit_is_followed_in_pages(lobbies: Lobbies) -> None:
    """It has more events than are read at once; a state saved in the middle of it counts."""
    first, second = await lobbies.open(2)
    rooms = [new_room("r1"), new_room("r2")]
    for room in rooms:
        await first.store.add(room)
    room, other = rooms
    factory = EventFactory(room)
    await asyncio.gather(
        first.store.record(room, factory.some(2 * PAGE + 10)),
        first.store.save(room),
        first.store.record(other, EventFactory(other).some(5)),
        first.store.save(other),
    )
    await equal_rooms([first, second])
    assert second.cursors == first.cursors == lobbies.cursors()
    assert len(second.cursors) == 2 * PAGE + 15


async def test_a_lost_notification_is_made_up_for(lobbies: Lobbies) -> None:
    """A change of which PostgreSQL reports nothing is followed all the same."""
    first, second = await lobbies.open(2)
    room = new_room()
    await first.store.add(room)
    replica = await second.room("r1")
    content = json.dumps({**room.to_json(), "hand_count": 77})
    lobbies.server.run(
        "WITH ordered AS (UPDATE lobby_order SET newest = newest + 1 RETURNING newest)"
        f" UPDATE room SET content = $${content}$$, changed = newest FROM ordered"
    )
    await run_until(lambda: replica.hand_count == 77)


async def test_a_lost_listening_connection_is_replaced(lobbies: Lobbies) -> None:
    """Nothing is missed meanwhile, and a caller at its own lobby waits only for the order."""
    first, second = await lobbies.open(2)
    rooms = [new_room("r1"), new_room("r2")]
    factories = [EventFactory(room) for room in rooms]
    for member, room in zip((first, second), rooms, strict=True):
        await member.store.add(room)
    for _ in range(3):
        lobbies.cut_off_readers()
        for member, room, factory in zip((first, second), rooms, factories, strict=True):
            await member.store.record(room, factory.some(2))
    await equal_rooms([first, second])
    assert first.cursors == second.cursors == lobbies.cursors()
    assert len(first.cursors) == 12


async def test_an_unconfirmed_commit_is_published(lobbies: Lobbies) -> None:
    """The connection ended between a commit and its answer: the owner reads its own events."""
    first, second = await lobbies.open(2)
    room = new_room()
    await first.store.add(room)
    factory = EventFactory(room)
    await first.store.record(room, factory.some(1))
    lobbies.server.run(
        "WITH ordered AS (UPDATE lobby_order SET newest = newest + 1 RETURNING newest)"
        " INSERT INTO event (cursor, room_id, epoch, sequence, event_type, content)"
        " SELECT newest, 'r1', 1, 2, 'table_status',"
        f" '\\x{packed(written(factory.some(1)[0])).hex()}' FROM ordered"
    )
    await equal_rooms([first, second])
    assert first.cursors == second.cursors == lobbies.cursors()
    assert room.last_sequence == 2
    await fail_batch(first.store, room)
    await first.store.record(room, factory.some(1))
    await equal_rooms([first, second])
    assert (room.last_sequence, len(lobbies.cursors())) == (3, 3)


async def test_the_owner_of_a_name_is_followed(lobbies: Lobbies) -> None:
    """Of two members that store the same name the first one wins, and the other one learns it."""
    first, second = await lobbies.open(2)
    await first.store.names.own("ann", "key-1")
    with pytest.raises(StoreFailed, match="another owner"):
        await second.store.names.own("ann", "key-2")
    await second.store.names.own("ann", "key-1")
    await second.store.names.own("bob", "key-2")
    for member in (first, second):
        await member.follow()
        assert await member.store.names.all() == {"ann": "key-1", "bob": "key-2"}
    assert first.names["bob"] == "key-2"
    assert second.names["ann"] == "key-1"


async def test_every_member_shows_what_any_of_them_has_published(lobbies: Lobbies) -> None:
    one, other = await lobbies.open(2)
    first = Publication("match", "m", "d1", "{}", "{}", ("a", "b"))
    assert await one.store.published.put(first) is None
    assert await other.store.published.get("match", "m") == first
    assert await other.store.published.put(Publication("match", "m", "d2", "{}", "{}")) == "d1"
    both = [
        member.store.published.put(Publication("match", "same", digest, "{}", "{}"))
        for member, digest in ((one, "d1"), (other, "d2"))
    ]
    outcomes = await asyncio.gather(*both, return_exceptions=True)
    kept = await one.store.published.get("match", "same")
    assert kept is not None
    winner = outcomes[("d1", "d2").index(kept.digest)]
    assert winner is None
    (loser,) = (outcome for outcome in outcomes if outcome is not winner)
    assert loser == kept.digest or isinstance(loser, StoreFailed)
    assert await other.store.published.delete("match", "same")
    assert await one.store.published.get("match", "same") is None
