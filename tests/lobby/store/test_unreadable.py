"""Rows that cannot be read are skipped and named; all others are served."""

from pathlib import Path

import pytest
from casino_agentkit import CommandRefused
from casino_lobby.domain.room import Room
from casino_lobby.store import Command, HandKey, SqlStore, StoreFailed
from casino_lobby.store.stored_rows import packed
from structlog.testing import capture_logs
from support.casino.store_side import OpenStore, change_rows, new_room, numbers, played, rows

DEEP = "[" * 100_000
"""More levels than any reader goes down; it is no JSON either, which none of them gets to see."""


async def reopened(store: SqlStore, open_store: OpenStore) -> SqlStore:
    await store.close()
    return await open_store()


def room_of(store: SqlStore, room_id: str = "r1") -> Room:
    room = store.room(room_id)
    assert room is not None
    return room


class TestRooms:
    @pytest.mark.parametrize(
        "content", ["", "{", "[]", "{}", DEEP, '{"room_id": "r1"}', '{"config": NaN}']
    )
    async def test_an_unreadable_room_does_not_stop_the_others(
        self, store: SqlStore, open_store: OpenStore, content: str
    ) -> None:
        for room_id in ("r1", "r2"):
            await played(store, room_id)
        await change_rows(store, "UPDATE room SET content = :it WHERE room_id = 'r1'", it=content)
        with capture_logs() as logs:
            again = await reopened(store, open_store)
        assert [room.room_id for room in again.rooms()] == ["r2"]
        reported = [log for log in logs if log["event"] == "row_unreadable"]
        assert [(log["table"], log["row"], log["log_level"]) for log in reported] == [
            ("room", "r1", "error")
        ]
        assert again.unreadable.counts() == {"room": 1}
        assert len(await rows(again, "SELECT 1 FROM event WHERE room_id = 'r1'")) == 15

    async def test_the_content_of_another_room_is_unreadable(
        self, store: SqlStore, open_store: OpenStore
    ) -> None:
        """Two rooms with one name would share their events."""
        for room_id in ("r1", "r2"):
            await played(store, room_id)
        copy = "(SELECT content FROM room WHERE room_id = 'r2')"
        await change_rows(store, f"UPDATE room SET content = {copy} WHERE room_id = 'r1'")
        again = await reopened(store, open_store)
        assert [room.room_id for room in again.rooms()] == ["r2"]

    async def test_the_ids_of_an_unreadable_room_stay_taken(
        self, store: SqlStore, open_store: OpenStore
    ) -> None:
        """A new room would delete rows that can still be repaired."""
        await played(store)
        kept = await rows(store, "SELECT content FROM room")
        await change_rows(store, "UPDATE room SET content = '{}'")
        again = await reopened(store, open_store)
        other = new_room("r2")
        other.table_id = "t-r1"
        for room, reason in ((new_room("r1"), "ROOM_EXISTS"), (other, "TABLE_ID_TAKEN")):
            with pytest.raises(CommandRefused) as refused:
                await again.add(room)
            assert refused.value.reason == reason
            assert again.room(room.room_id) is None
        await change_rows(again, "UPDATE room SET content = :it", it=kept[0][0])
        assert room_of(await reopened(again, open_store)).last_hand == 3

    async def test_the_log_of_an_unreadable_room_has_no_seed(
        self, store: SqlStore, open_store: OpenStore
    ) -> None:
        """The log must not reveal cards."""
        await store.add(new_room(seed="the secret of r1"))
        await change_rows(
            store, """UPDATE room SET content = replace(content, '"epoch": 1', '"epoch": "x"')"""
        )
        with capture_logs() as logs:
            await reopened(store, open_store)
        assert "epoch" in str(logs)
        assert "secret of r1" not in str(logs)

    async def test_a_room_that_could_not_be_read_back_is_refused(self, store: SqlStore) -> None:
        """It would be lost at the next start."""
        room = new_room()
        room.config = room.config.model_copy(update={"max_seats": 99})
        with pytest.raises(StoreFailed, match="could not be read back"):
            await store.add(room)
        assert store.room("r1") is None
        assert await rows(store, "SELECT 1 FROM room") == []


class TestEvents:
    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"{}",
            b"null",
            DEEP.encode(),
            b'{"tableId": "t-r1"}',
            packed(b"{}"),
            packed(b"[")[:-1],
        ],
    )
    async def test_unreadable_events_are_skipped(
        self, store: SqlStore, open_store: OpenStore, content: bytes
    ) -> None:
        room, factory = await played(store)
        last = room.last_sequence
        await change_rows(
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
        await again.record(found, factory.hand(4, {"p0": 204, "p1": 196}))
        assert found.last_sequence == last + 4
        assert found.settled["p1"] == 196

    async def test_an_event_in_the_wrong_place_is_unreadable(
        self, store: SqlStore, open_store: OpenStore
    ) -> None:
        """It would be applied twice."""
        await played(store)
        copy = "(SELECT content FROM event WHERE sequence = 2)"
        await change_rows(store, f"UPDATE event SET content = {copy} WHERE sequence = 3")
        again = await reopened(store, open_store)
        assert numbers(await again.events(room_of(again), 0, 4)) == [1, 2, 4, 5]

    @pytest.mark.parametrize("newest_first", [False, True])
    async def test_a_hand_without_its_end_is_left_out(
        self,
        store: SqlStore,
        open_store: OpenStore,
        newest_first: bool,  # noqa: FBT001  a case
    ) -> None:
        await played(store, hands=5)
        await change_rows(
            store,
            "UPDATE event SET content = '' WHERE event_type = 'hand_completed'"
            " AND hand_number IN (2, 4)",
        )
        again = await reopened(store, open_store)
        room = room_of(again)
        wanted = [5, 3, 1] if newest_first else [1, 3, 5]
        assert [
            hand.key.number
            for hand in await again.hands.page(room, None, 3, newest_first=newest_first)
        ] == wanted
        assert await again.hands.find(room, 2) is None
        found = await again.hands.find(room, 3)
        assert found is not None
        assert found.key == HandKey(1, 3)


class TestCommands:
    async def test_an_unreadable_command_is_not_carried_on(
        self, store: SqlStore, open_store: OpenStore
    ) -> None:
        """It is not repeated either: its progress is unknown."""
        some = [Command(f"createRoom/{name}", "createRoom", "d", "{}") for name in "abc"]
        for command in some:
            await store.commands.intend(command)
        await change_rows(
            store,
            "UPDATE command SET notes = '{' WHERE key = 'createRoom/a'",
            "UPDATE command SET given = '[]' WHERE key = 'createRoom/b'",
        )
        again = await reopened(store, open_store)
        assert await again.commands.pending() == [some[2]]
        assert again.unreadable.counts() == {"command": 2}
        with pytest.raises(StoreFailed, match="createRoom/a cannot be read back"):
            await again.commands.intend(some[0])


class TestAnythingInSqlite:
    """SQLite stores text in number columns, and bytes that are no text."""

    @pytest.fixture
    def url(self, tmp_path: Path) -> str:
        return f"sqlite+aiosqlite:///{tmp_path}/casino.db"

    @pytest.mark.parametrize(
        ("statement", "counts"),
        [
            ("UPDATE room SET content = CAST(x'ff7b' AS TEXT) WHERE room_id = 'r1'", {"room": 1}),
            ("UPDATE room SET content = x'ff7b' WHERE room_id = 'r1'", {"room": 1}),
            ("UPDATE event SET content = CAST(x'22ff22' AS TEXT) WHERE cursor = 4", {"event": 1}),
            ("UPDATE event SET content = x'ff' WHERE cursor = 4", {"event": 1}),
            ("UPDATE event SET content = x'28b52ffd00' WHERE cursor = 4", {"event": 1}),
            ("UPDATE event SET content = 4 WHERE cursor = 4", {"event": 1}),
            ("UPDATE event SET sequence = 'four' WHERE cursor = 4", {"event": 1}),
            ("UPDATE event SET hand_number = 'one' WHERE cursor = 4", {}),
            ("UPDATE hand SET hand_number = 'x' WHERE room_id = 'r1' AND hand_number = 2",
             {"hand": 1}),
            ("UPDATE hand SET first_sequence = 'x' WHERE room_id = 'r1' AND hand_number = 2",
             {"hand": 1}),
        ],
    )  # fmt: skip
    async def test_a_row_of_wrong_types_affects_no_other(
        self, store: SqlStore, open_store: OpenStore, statement: str, counts: dict[str, int]
    ) -> None:
        factories = {room_id: (await played(store, room_id))[1] for room_id in ("r1", "r2")}
        await change_rows(store, statement)
        again = await reopened(store, open_store)
        for room in again.rooms():
            factory = factories[room.room_id]
            await again.record(room, [factory.status("started"), *factory.hand(4, {"p0": 204})])
            assert len(await again.events(room, 0, 100)) >= 18
            assert len(await again.hands.page(room, None, 100)) >= 3
            assert room.ledger.balances
        assert len(await again.committed(0, 100)) >= 35
        assert "r2" in {room.room_id for room in again.rooms()}
        assert again.unreadable.counts() == counts
