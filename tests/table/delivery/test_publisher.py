"""A publisher delivers events in order, in batches, at least once, whatever its lobby declares."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import CasinoCallback
from casino_contracts.events.table_event import BATCH_BYTES
from casino_table.journal.disk_log import DiskLog, GroupCommit
from casino_table.journal.journal_file import JournalFile
from support.processes import run_until
from support.table.table_side import LobbyStub
from table.delivery.publishing import Publishing

SOON = timedelta(seconds=5)


class NotingLog(DiskLog):
    """A log that notes what is stored as confirmed."""

    def __init__(self, path: Path) -> None:
        super().__init__(GroupCommit(JournalFile(path)), 1)
        self.confirmed: list[int] = []

    def delivered(self, epoch: int, sequence: int) -> None:
        super().delivered(epoch, sequence)
        self.confirmed.append(sequence)


@pytest.fixture(params=["by itself", "together"])
async def publishing(request: pytest.FixtureRequest) -> AsyncIterator[Publishing]:
    """Run the publisher of a table that is delivered by itself, or together with others."""
    publishing = Publishing(LobbyStub(takes_tables=request.param == "together"))
    yield publishing
    publishing.publisher.stop()


async def test_events_arrive_in_order_and_in_batches(publishing: Publishing) -> None:
    publishing.happen(250)
    assert await publishing.publisher.flush(SOON)
    assert publishing.received == list(range(1, 251))
    assert [len(batch) for batch in publishing.lobby.batches] == [100, 100, 50]
    assert publishing.journal.undelivered == 0


async def test_a_batch_has_at_most_256_kib(publishing: Publishing) -> None:
    publishing.happen(20, "x" * 40_000)
    assert await publishing.publisher.flush(SOON)
    assert publishing.received == list(range(1, 21))
    for batch in publishing.lobby.batches:
        assert sum(len(event.model_dump_json()) for event in batch) <= BATCH_BYTES


async def test_a_single_event_beyond_the_limit_is_sent(publishing: Publishing) -> None:
    """An event cannot be split."""
    publishing.happen(1, "x" * 300_000)
    publishing.happen(1)
    assert await publishing.publisher.flush(SOON)
    assert publishing.received == [1, 2]


async def test_delivery_to_an_unreachable_lobby_is_retried(publishing: Publishing) -> None:
    app = publishing.network.transport.apps.pop("http://lobby")
    publishing.happen(3)
    began = publishing.clock.time
    await run_until(lambda: publishing.clock.time > began + 20)  # after several attempts
    assert publishing.journal.undelivered == 3
    publishing.network.transport.apps["http://lobby"] = app
    publishing.happen(1)
    assert await publishing.publisher.flush(SOON)
    assert publishing.received == [1, 2, 3, 4]


async def test_a_failed_delivery_is_retried(publishing: Publishing) -> None:
    """After a fault, or a refusal that is not permanent."""
    lobby = publishing.lobby
    lobby.trouble = [CommandRefused("NOT_KEPT", "full"), CommandRefused("DRAINING", "later")]
    publishing.happen(2)
    assert await publishing.publisher.flush(SOON)
    assert publishing.received == [1, 2]
    assert publishing.clock.time > 1000.1


async def test_flushing_ends_at_its_timeout(publishing: Publishing) -> None:
    del publishing.network.transport.apps["http://lobby"]
    publishing.happen(1)
    assert not await publishing.publisher.flush(timedelta(milliseconds=50))


async def test_a_gap_is_filled_from_the_wanted_sequence(publishing: Publishing) -> None:
    publishing.happen(5)
    publishing.lobby.trouble = [
        CommandRefused("SEQUENCE_GAP", "send 1 first", details={"wanted": "1"})
    ]
    assert await publishing.publisher.flush(SOON)
    assert publishing.received == [1, 2, 3, 4, 5]


async def test_events_that_the_lobby_lost_are_unconfirmed_before_they_are_sent_again(
    tmp_path: Path,
) -> None:
    """A journal that keeps its newest hands must not delete them meanwhile."""
    log = NotingLog(tmp_path / "log")
    publishing = Publishing(log=log)
    publishing.happen(5)
    assert await publishing.publisher.flush(SOON)
    publishing.lobby.lose_after(2)
    publishing.happen(1)
    assert await publishing.publisher.flush(SOON)
    assert publishing.received == [1, 2, 3, 4, 5, 6]
    assert log.confirmed == [5, 2, 6]
    publishing.publisher.stop()
    log.close()


async def test_events_beyond_those_that_were_sent_are_never_confirmed() -> None:
    """A table that lost its tail plays on while the lobby, which has more, gets the older events.

    What it plays then has the numbers of what it lost: the lobby has to see it, and to refuse it.
    """
    whole = Publishing()
    whole.happen(6)
    assert await whole.publisher.flush(SOON)
    whole.publisher.stop()
    lobby = LobbyStub(whole.lobby.events, takes_tables=True)
    lobby.may_reply.clear()
    cut = Publishing(lobby)
    cut.happen(3)
    await run_until(lambda: lobby.calls)
    cut.happen(5, "played again")
    lobby.may_reply.set()
    assert not await cut.publisher.flush(SOON)
    assert cut.refused == ["SEQUENCE_CONFLICT"]
    assert lobby.events == whole.lobby.events
    cut.publisher.stop()


@pytest.mark.parametrize("reason", ["STALE_EPOCH", "UNKNOWN_TABLE", "SEQUENCE_CONFLICT"])
async def test_a_permanent_refusal_ends_publishing(publishing: Publishing, reason: str) -> None:
    publishing.lobby.trouble = [CommandRefused(reason, "stop")]
    publishing.happen(2)
    assert not await publishing.publisher.flush(SOON)
    assert publishing.refused == [reason]
    publishing.happen(2)
    assert not await publishing.publisher.flush(SOON)
    assert publishing.received == []


async def test_a_new_callback_is_used_for_the_next_batch(publishing: Publishing) -> None:
    """The lobby may have moved."""
    publishing.happen(2)
    assert await publishing.publisher.flush(SOON)
    elsewhere = LobbyStub(publishing.lobby.events)
    url = publishing.network.add("elsewhere", elsewhere.agent())
    publishing.publisher.rebind(CasinoCallback(agent_card_url=url, event_skill="recordGameEvent"))
    publishing.happen(1)
    assert await publishing.publisher.flush(SOON)
    assert [[event.sequence for event in batch] for batch in elsewhere.batches] == [[3]]
