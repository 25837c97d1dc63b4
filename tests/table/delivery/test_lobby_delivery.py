"""The events of many tables go to their lobby in one call; a table costs the others nothing."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import RoomKey, Waiting, WaitReason
from casino_contracts.events.table_event import BATCH_BYTES
from casino_table.delivery.event_publisher import GATHER_S, Publisher
from casino_table.journal.journal import Journal
from support.processes import run_until
from support.table.table_side import LobbyStub
from table.delivery.publishing import Publishing

SOON = timedelta(seconds=5)


@pytest.fixture
async def publishing() -> AsyncIterator[Publishing]:
    """Run the publisher of `t1`, whose lobby takes the events of several tables."""
    publishing = Publishing(LobbyStub(takes_tables=True))
    yield publishing
    publishing.publisher.stop()


def tables(publishing: Publishing, count: int) -> list[tuple[Journal, Publisher]]:
    """Let more tables join, `t2` and so on."""
    return [publishing.join(f"t{number}") for number in range(2, count + 2)]


def received(lobby: LobbyStub, table_id: str) -> list[int | None]:
    """Return the sequences of a table, in the order of their arrival."""
    return [event.sequence for event in lobby.events if event.table_id == table_id]


class TestTogether:
    async def test_the_events_of_all_tables_are_one_call(self, publishing: Publishing) -> None:
        others = tables(publishing, 7)
        for journal in (publishing.journal, *(journal for journal, _ in others)):
            publishing.happen(10, journal=journal)
        for publisher in (publishing.publisher, *(publisher for _, publisher in others)):
            assert await publisher.flush(SOON)
        (call,) = publishing.lobby.calls
        assert [part.events[0].table_id for part in call.tables] == [f"t{n}" for n in range(1, 9)]
        assert all(received(publishing.lobby, f"t{n}") == list(range(1, 11)) for n in range(1, 9))
        assert publishing.redelivered() == 0

    async def test_each_table_has_the_token_of_its_room(self, publishing: Publishing) -> None:
        journal, publisher = publishing.join("t2", secret="sesame")
        publishing.happen()
        publishing.happen(journal=journal)
        assert await publisher.flush(SOON)
        (call,) = publishing.lobby.calls
        assert [part.room_token for part in call.tables] == [None, RoomKey("sesame").events]

    async def test_why_a_table_waits_is_told_without_a_new_event(
        self, publishing: Publishing
    ) -> None:
        """With the newest event, which is repeated; and once more when the wait is over."""
        publishing.happen(2)
        assert await publishing.publisher.flush(SOON)
        waiting = Waiting.of(WaitReason.DISK_FULL, publishing.clock.timestamp(), "/full")
        for told in ((waiting,), ()):
            publishing.lobby.calls.clear()
            publishing.publisher.tell(told)
            await run_until(lambda: publishing.lobby.calls)
            (part,) = publishing.lobby.calls[-1].tables
            assert ([event.sequence for event in part.events], part.waits) == ([2], told)
        publishing.happen()
        assert await publishing.publisher.flush(SOON)
        assert publishing.lobby.calls[-1].tables[0].waits is None
        assert publishing.received == [1, 2, 3]

    async def test_a_call_is_bounded(self, publishing: Publishing) -> None:
        """In bytes, in tables, and in the events of a table; all tables have their turn."""
        others = tables(publishing, 150)
        for number, (journal, _) in enumerate(others):
            publishing.happen(3, "x" * (20_000 if number < 30 else 100), journal=journal)
        publishing.happen(250)
        for _, publisher in others:
            assert await publisher.flush(SOON)
        assert await publishing.publisher.flush(SOON)
        calls = publishing.lobby.calls
        for call in calls:
            assert 1 <= len(call.tables) <= 100
            assert all(len(part.events) <= 100 for part in call.tables)
            assert sum(len(e.wire()) for part in call.tables for e in part.events) <= BATCH_BYTES
        assert len({part.events[0].table_id for call in calls[:14] for part in call.tables}) == 151

    @pytest.mark.parametrize(
        ("others", "pause_s"), [(0, GATHER_S), (7, 0.02), (15, 0.04), (63, 0.1)]
    )
    async def test_what_follows_closely_is_gathered_for_longer_the_more_tables_there_are(
        self, publishing: Publishing, others: int, pause_s: float
    ) -> None:
        """So that each table has as many events in a call, up to a tenth of a second."""
        joined = tables(publishing, others)
        began = publishing.clock.time
        publishing.happen()
        for journal, _ in joined:
            publishing.happen(journal=journal)
        assert await publishing.publisher.flush(SOON)
        assert publishing.clock.time == began
        publishing.happen()
        assert await publishing.publisher.flush(SOON)
        assert publishing.clock.time == pytest.approx(began + pause_s)
        assert [len(call.tables) for call in publishing.lobby.calls] == [others + 1, 1]

    async def test_what_happens_during_a_call_goes_with_the_next(
        self, publishing: Publishing
    ) -> None:
        (other, publisher), *_ = tables(publishing, 1)
        publishing.lobby.may_reply.clear()
        publishing.happen()
        await run_until(lambda: publishing.lobby.calls)
        publishing.happen()
        publishing.happen(2, journal=other)
        publishing.lobby.may_reply.set()
        assert await publishing.publisher.flush(SOON)
        assert await publisher.flush(SOON)
        assert [[len(part.events) for part in call.tables] for call in publishing.lobby.calls] == [
            [1],
            [1, 2],
        ]


class TestRefusals:
    @pytest.mark.parametrize(
        ("refusal", "calls"),
        [
            (CommandRefused("ROOM_CLOSED", "over"), 1),
            (CommandRefused("SEQUENCE_GAP", "early", details={"wanted": "1"}), 2),
            (CommandRefused("NOT_KEPT", "the disk is full"), 2),
        ],
    )
    async def test_other_tables_are_confirmed(
        self, publishing: Publishing, refusal: CommandRefused, calls: int
    ) -> None:
        """Only the refused one is stopped, rewound, or delivered again."""
        (other, publisher), *_ = tables(publishing, 1)
        publishing.lobby.trouble = [refusal]
        publishing.happen(2)
        publishing.happen(3, journal=other)
        assert await publisher.flush(SOON)
        is_stopped = refusal.reason == "ROOM_CLOSED"
        assert await publishing.publisher.flush(SOON) != is_stopped
        assert publishing.refused == (["ROOM_CLOSED"] if is_stopped else [])
        assert publishing.received == ([] if is_stopped else [1, 2])
        assert [len(call.tables) for call in publishing.lobby.calls] == [2, 1][:calls]
        assert received(publishing.lobby, "t2") == [1, 2, 3]

    async def test_a_table_that_is_refused_for_ever_is_asked_ever_more_slowly(
        self, publishing: Publishing
    ) -> None:
        (other, publisher), *_ = tables(publishing, 1)
        gap = CommandRefused("SEQUENCE_GAP", "early", details={"wanted": "1"})
        publishing.lobby.trouble = [gap] * 12
        publishing.happen()
        began = publishing.clock.time
        await run_until(lambda: not publishing.lobby.trouble)
        assert publishing.clock.time > began + 10
        publishing.happen(journal=other)
        assert await publisher.flush(SOON)

    async def test_a_call_that_is_refused_for_its_content_is_sent_in_parts(
        self, publishing: Publishing
    ) -> None:
        (other, publisher), *_ = tables(publishing, 1)
        publishing.lobby.call_trouble = [CommandRefused("INVALID", "of one of them")]
        publishing.happen()
        publishing.happen(journal=other)
        assert await publisher.flush(SOON)
        assert await publishing.publisher.flush(SOON)
        assert received(publishing.lobby, "t1") == received(publishing.lobby, "t2") == [1]

    async def test_a_call_that_fails_is_repeated_whole(self, publishing: Publishing) -> None:
        """After a pause, for all its tables; what is sent again is counted."""
        (other, publisher), *_ = tables(publishing, 1)
        publishing.lobby.call_trouble = [RuntimeError("a fault"), RuntimeError("a fault")]
        publishing.happen(2)
        publishing.happen(journal=other)
        began = publishing.clock.time
        assert await publisher.flush(SOON)
        assert await publishing.publisher.flush(SOON)
        assert [len(call.tables) for call in publishing.lobby.calls] == [2, 2, 2]
        assert publishing.clock.time > began + 0.15
        assert publishing.redelivered() == 6

    async def test_a_lobby_that_reads_no_large_bodies_gets_small_ones(
        self, publishing: Publishing
    ) -> None:
        """It reads them only of a table that it knows, which a table is not after its loss."""
        publishing.lobby.takes_large = False
        publishing.happen(20, "x" * 10_000)
        assert await publishing.publisher.flush(SOON)
        assert publishing.received == list(range(1, 21))


class TestTables:
    async def test_a_table_that_left_during_a_call_is_not_confirmed(
        self, publishing: Publishing
    ) -> None:
        """Its journal may be of another room by then."""
        (other, publisher), *_ = tables(publishing, 1)
        publishing.happen()
        publishing.happen(journal=other)
        publishing.lobby.may_reply.clear()
        await run_until(lambda: publishing.lobby.calls)
        publisher.stop()
        publishing.lobby.may_reply.set()
        assert await publishing.publisher.flush(SOON)
        assert (publishing.journal.undelivered, other.undelivered) == (0, 1)

    async def test_a_slow_lobby_does_not_delay_another(self, publishing: Publishing) -> None:
        slow = LobbyStub(takes_tables=True)
        slow.may_reply.clear()
        url = publishing.network.add("slow", slow.agent())
        journal, publisher = publishing.join("t2", url)
        publishing.happen(journal=journal)
        await run_until(lambda: slow.calls)
        publishing.happen()
        assert await publishing.publisher.flush(SOON)
        assert journal.undelivered == 1
        publisher.stop()
