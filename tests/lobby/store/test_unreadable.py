"""Rows that cannot be read are left out and named; everything beside them is there."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import TableEvent
from casino_contracts.events import EVENT_BYTES
from casino_lobby.domain.room import Room
from casino_lobby.store import Command, HandKey, SqlStore, Store, StoreFailed
from casino_lobby.store.serialization import proved, read, written
from casino_lobby.store.unreadable import UnreadableCollector, UnreadableRows
from prometheus_client import CollectorRegistry
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection
from structlog.testing import capture_logs
from support.casino.store_side import EventFactory, new_room, numbers, rows

OpenStore = Callable[[], Awaitable[SqlStore]]

DEEP = "[" * 100_000
"""More levels than any reader goes down; it is no JSON either, which none of them gets to see."""


async def spoil(store: SqlStore, *statements: str, **values: object) -> None:
    """Change rows behind the store's back."""

    async def change(connection: AsyncConnection) -> None:
        for statement in statements:
            await connection.execute(text(statement), values)

    await store._writer.write(change)


async def played(store: SqlStore, room_id: str = "r1", hands: int = 3) -> tuple[Room, EventFactory]:
    """Play in a new room."""
    room = new_room(room_id)
    await store.add(room)
    teller = EventFactory(room)
    await store.record(room, [teller.registered("p0"), teller.registered("p1")])
    await store.record(room, [teller.status("started")])
    for number in range(1, hands + 1):
        await store.record(room, teller.hand(number, {"p0": 200 + number, "p1": 200 - number}))
    return room, teller


async def reopened(store: SqlStore, open_store: OpenStore) -> SqlStore:
    """Start the lobby's store anew."""
    await store.close()
    return await open_store()


def room_of(store: SqlStore, room_id: str = "r1") -> Room:
    """Return a room."""
    room = store.room(room_id)
    assert room is not None
    return room


class TestRooms:
    """One that cannot be read is not opened."""

    @pytest.mark.parametrize(
        "content", ["", "{", "[]", "{}", DEEP, '{"room_id": "r1"}', '{"config": NaN}']
    )
    async def test_the_others_are(
        self, store: SqlStore, open_store: OpenStore, content: str
    ) -> None:
        """It is named once, counted, and its rows stay."""
        for room_id in ("r1", "r2"):
            await played(store, room_id)
        await spoil(store, "UPDATE room SET content = :it WHERE room_id = 'r1'", it=content)
        with capture_logs() as logs:
            again = await reopened(store, open_store)
        assert [room.room_id for room in again.rooms()] == ["r2"]
        told = [log for log in logs if log["event"] == "row_unreadable"]
        assert [(log["table"], log["row"], log["log_level"]) for log in told] == [
            ("room", "r1", "error")
        ]
        assert again.unreadable.counts() == {"room": 1}
        assert len(await rows(again, "SELECT 1 FROM event WHERE room_id = 'r1'")) == 15

    async def test_the_content_of_another_room_is_none(
        self, store: SqlStore, open_store: OpenStore
    ) -> None:
        """Two rooms of one name would share what is played."""
        for room_id in ("r1", "r2"):
            await played(store, room_id)
        copy = "(SELECT content FROM room WHERE room_id = 'r2')"
        await spoil(store, f"UPDATE room SET content = {copy} WHERE room_id = 'r1'")
        again = await reopened(store, open_store)
        assert [room.room_id for room in again.rooms()] == ["r2"]

    async def test_its_ids_stay_taken(self, store: SqlStore, open_store: OpenStore) -> None:
        """Else a new room would drop what can still be mended."""
        await played(store)
        kept = await rows(store, "SELECT content FROM room")
        await spoil(store, "UPDATE room SET content = '{}'")
        again = await reopened(store, open_store)
        other = new_room("r2")
        other.table_id = "t-r1"
        for room, reason in ((new_room("r1"), "ROOM_EXISTS"), (other, "TABLE_ID_TAKEN")):
            with pytest.raises(CommandRefused) as refused:
                await again.add(room)
            assert refused.value.reason == reason
            assert again.room(room.room_id) is None
        await spoil(again, "UPDATE room SET content = :it", it=kept[0][0])
        assert room_of(await reopened(again, open_store)).last_hand == 3

    async def test_what_is_logged_has_no_seed(self, store: SqlStore, open_store: OpenStore) -> None:
        """Whoever reads the log must not know the cards."""
        await store.add(new_room(seed="the secret of r1"))
        await spoil(
            store, """UPDATE room SET content = replace(content, '"epoch": 1', '"epoch": "x"')"""
        )
        with capture_logs() as logs:
            await reopened(store, open_store)
        assert "epoch" in str(logs)
        assert "secret of r1" not in str(logs)

    async def test_one_that_could_not_be_read_back_is_not_kept(self, store: SqlStore) -> None:
        """It would be gone with the next start."""
        room = new_room()
        room.config = room.config.model_copy(update={"max_seats": 99})
        with pytest.raises(StoreFailed, match="could not be read back"):
            await store.add(room)
        assert store.room("r1") is None
        assert await rows(store, "SELECT 1 FROM room") == []


class TestEvents:
    """One that cannot be read is missing; those after it follow on it."""

    @pytest.mark.parametrize("content", ["", "{}", "null", DEEP, '{"tableId": "t-r1"}'])
    async def test_reading_goes_round_it(
        self, store: SqlStore, open_store: OpenStore, content: str
    ) -> None:
        """Pages are as long as they should be, and the next event has the next number."""
        room, teller = await played(store)
        last = room.last_sequence
        await spoil(
            store, "UPDATE event SET content = :it WHERE sequence IN (1, 5, 6, 15)", it=content
        )
        with capture_logs() as logs:
            again = await reopened(store, open_store)
        named = {log["row"] for log in logs if log["event"] == "row_unreadable"}
        assert named == {f"r1 1/{number}" for number in (1, 5, 6, 15)}
        found = room_of(again)
        assert found.last_sequence == last == 15
        assert numbers(await again.events(found, 0, 3)) == [2, 3, 4]
        assert numbers(await again.events(found, 3, 3)) == [4, 7, 8]
        assert numbers(await again.events(found, 14, 3)) == []
        assert [one.cursor for one in await again.committed(0, 5)] == [2, 3, 4, 7, 8]
        assert [one.cursor for one in await again.committed(4, 100, found)] == list(range(7, 15))
        assert numbers(list(found.recent)) == [2, 3, 4, *range(7, 15)]
        assert again.unreadable.counts() == {"event": 4}
        await again.record(found, teller.hand(4, {"p0": 204, "p1": 196}))
        assert found.last_sequence == last + 4
        assert found.settled["p1"] == 196

    async def test_one_in_another_s_place_is_none(
        self, store: SqlStore, open_store: OpenStore
    ) -> None:
        """It would be folded twice."""
        await played(store)
        copy = "(SELECT content FROM event WHERE sequence = 2)"
        await spoil(store, f"UPDATE event SET content = {copy} WHERE sequence = 3")
        again = await reopened(store, open_store)
        assert numbers(await again.events(room_of(again), 0, 4)) == [1, 2, 4, 5]

    @pytest.mark.parametrize("newest_first", [False, True])
    async def test_a_hand_without_its_end_is_left_out(
        self,
        store: SqlStore,
        open_store: OpenStore,
        newest_first: bool,  # noqa: FBT001  a case
    ) -> None:
        """The page goes on behind it."""
        await played(store, hands=5)
        await spoil(
            store,
            "UPDATE event SET content = '' WHERE event_type = 'hand_completed'"
            " AND hand_number IN (2, 4)",
        )
        again = await reopened(store, open_store)
        room = room_of(again)
        wanted = [5, 3, 1] if newest_first else [1, 3, 5]
        assert [
            hand.key.number for hand in await again.hands(room, None, 3, newest_first=newest_first)
        ] == wanted
        assert await again.hand(room, 2) is None
        found = await again.hand(room, 3)
        assert found is not None
        assert found.key == HandKey(1, 3)


class TestBooks:
    """Players, sessions, hands and chips."""

    async def test_entries_that_do_not_sum_to_nought_are_named(
        self, store: SqlStore, open_store: OpenStore
    ) -> None:
        """When the room's books are opened; it plays on."""
        _, teller = await played(store)
        await spoil(
            store, "UPDATE ledger SET chips = chips + 7 WHERE sequence = 2 AND account = 'cashier'"
        )
        again = await reopened(store, open_store)
        room = room_of(again)
        with capture_logs() as logs:
            await again.record(room, teller.hand(4, {"p0": 204, "p1": 196}))
        assert [(log["table"], log["row"]) for log in logs if log["event"] == "row_unreadable"] == [
            ("ledger", "r1 1/2")
        ]
        assert (await again.balances("r1"))["player:p0"] == 204

    async def test_a_command_is_left_out(self, store: SqlStore, open_store: OpenStore) -> None:
        """It is carried on by nobody, and not done again: nobody knows how far it was."""
        some = [Command(f"createRoom/{name}", "createRoom", "d", "{}") for name in "abc"]
        for command in some:
            await store.intend(command)
        await spoil(
            store,
            "UPDATE command SET notes = '{' WHERE key = 'createRoom/a'",
            "UPDATE command SET given = '[]' WHERE key = 'createRoom/b'",
        )
        again = await reopened(store, open_store)
        assert await again.pending() == [some[2]]
        assert again.unreadable.counts() == {"command": 2}
        with pytest.raises(StoreFailed, match="createRoom/a cannot be read back"):
            await again.intend(some[0])


class TestAnythingInSqlite:
    """SQLite keeps text where numbers belong, and bytes that are no text."""

    @pytest.fixture
    def url(self, tmp_path: Path) -> str:
        """Return the URL of a new file."""
        return f"sqlite+aiosqlite:///{tmp_path}/casino.db"

    @pytest.mark.parametrize(
        ("statement", "counts"),
        [
            ("UPDATE room SET content = CAST(x'ff7b' AS TEXT) WHERE room_id = 'r1'", {"room": 1}),
            ("UPDATE room SET content = x'ff7b' WHERE room_id = 'r1'", {"room": 1}),
            ("UPDATE event SET content = CAST(x'22ff22' AS TEXT) WHERE cursor = 4", {"event": 1}),
            ("UPDATE event SET content = x'ff' WHERE cursor = 4", {"event": 1}),
            ("UPDATE event SET sequence = 'four' WHERE cursor = 4", {"event": 1}),
            ("UPDATE event SET hand_number = 'one' WHERE cursor = 4", {}),
            ("UPDATE session SET number = 'first' WHERE room_id = 'r1'", {"session": 1}),
            ("UPDATE session SET epoch = 'first' WHERE room_id = 'r1'", {"session": 1}),
            ("UPDATE hand SET hand_number = 'x' WHERE room_id = 'r1' AND hand_number = 2",
             {"hand": 1}),
            ("UPDATE hand SET first_sequence = 'x' WHERE room_id = 'r1' AND hand_number = 2",
             {"hand": 1}),
            ("UPDATE ledger SET chips = 'all' WHERE room_id = 'r1' AND sequence = 1 AND chips < 0",
             {"ledger": 1}),
            ("UPDATE ledger SET account = CAST(x'ff' AS TEXT) WHERE room_id = 'r1' AND chips = 1",
             {}),
            ("UPDATE player SET display_name = CAST(x'ff' AS TEXT), seat_number = 'x'", {}),
        ],
    )  # fmt: skip
    async def test_one_such_row_spoils_nothing_else(
        self, store: SqlStore, open_store: OpenStore, statement: str, counts: dict[str, int]
    ) -> None:
        """Everything can be read, the other room plays on, and this one where it can be read."""
        tellers = {room_id: (await played(store, room_id))[1] for room_id in ("r1", "r2")}
        await spoil(store, statement)
        again = await reopened(store, open_store)
        for room in again.rooms():
            teller = tellers[room.room_id]
            await again.record(room, [teller.status("started"), *teller.hand(4, {"p0": 204})])
            assert len(await again.events(room, 0, 100)) >= 18
            assert len(await again.hands(room, None, 100)) >= 3
            assert await again.balances(room.room_id)
        assert len(await again.committed(0, 100)) >= 35
        assert "r2" in {room.room_id for room in again.rooms()}
        assert again.unreadable.counts() == counts


def test_rows_are_counted_by_table() -> None:
    """Each once, however often it is met."""
    found, registry = UnreadableRows(), CollectorRegistry()
    registry.register(UnreadableCollector(found))
    for table, row in (("event", "1/2"), ("event", "1/2"), ("event", "1/3"), ("room", "r")):
        found.note(table, row, ValueError("no"))
    for table, count in (("event", 2), ("room", 1)):
        assert registry.get_sample_value("lobby_unreadable_rows", {"table": table}) == count


class TestProof:
    """An event is read back before it is acknowledged."""

    @pytest.mark.parametrize(
        "payload",
        [
            {},
            {"a": [1, 0.5, -(2**53) + 1, None, True, "ü\0\u2028", {"b": []}]},
            {"stack": 5.0, "small": 1e-300, "minus": -0.0},
        ],
    )
    def test_what_can_be_read_is_written_as_ever(self, payload: dict[str, object]) -> None:
        """To the same bytes."""
        event = EventFactory(new_room()).tell("table_status", **payload)
        assert proved(event) == written(event)
        assert read(proved(event)) == event

    @pytest.mark.parametrize(
        "payload",
        [
            {"deep": json.loads("[" * 40 + "]" * 40)},
            {"nan": float("nan")},
            {"infinite": float("inf")},
            {"huge": 2**53},
            {"surrogate": "\ud800"},
            {"pair": (1, 2)},
            {"bytes": b"x"},
        ],
    )
    def test_what_cannot_is_refused(self, payload: dict[str, object]) -> None:
        """Whoever made it, and whatever was checked before."""
        event = TableEvent.model_construct(
            table_id="t", event_type="table_status", message="", timestamp="", payload=payload
        )
        with pytest.raises(CommandRefused) as refused:
            proved(event)
        assert refused.value.reason == "EVENT_UNREADABLE"

    async def test_nothing_of_its_batch_is_taken(self, store: SqlStore) -> None:
        """Not even what came before it."""
        room, teller = await played(store)
        before = room.to_json()
        good = teller.status("returned")
        bad = teller.status("returned").model_copy(update={"payload": {"n": float("nan")}})
        with pytest.raises(CommandRefused, match="EVENT_UNREADABLE"):
            await store.record(room, [good, bad])
        assert room.to_json() == before
        assert len(await store.events(room, 0, 100)) == 15
        await store.record(room, [good])
        assert room.last_sequence == 16


def of_bytes(teller: EventFactory, size: int) -> TableEvent:
    """Tell an event of so many bytes."""
    event = teller.tell("table_status", text="")
    return event.model_copy(update={"payload": {"text": "x" * (size - len(event.wire()))}})


class TestSizes:
    """64 KiB an event, to the byte."""

    async def test_the_largest_are_taken(self, any_store: Store) -> None:
        """And read."""
        room = new_room()
        await any_store.add(room)
        event = of_bytes(EventFactory(room), EVENT_BYTES)
        await any_store.record(room, [event])
        assert await any_store.events(room, 0, 10) == [event]

    async def test_larger_ones_are_not(self, any_store: Store) -> None:
        """Nothing of their batch is."""
        room = new_room()
        await any_store.add(room)
        teller = EventFactory(room)
        good = teller.tell("table_status")
        large = of_bytes(teller, EVENT_BYTES + 1)
        with pytest.raises(CommandRefused, match="has 65537 bytes, at most 65536") as refused:
            await any_store.record(room, [good, large])
        assert refused.value.reason == "EVENT_TOO_LARGE"
        assert (room.last_sequence, await any_store.events(room, 0, 10)) == (0, [])
        assert any_store.last_cursor == 0
        await any_store.record(room, [good])
        assert room.last_sequence == 1
