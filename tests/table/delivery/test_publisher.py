"""The publisher delivers events in order, in batches, at least once."""

import asyncio
import random
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import CasinoCallback, StatusPayload
from casino_table.delivery.publisher import BATCH_BYTES, Publisher
from casino_table.journal.disk_log import DiskLog
from casino_table.journal.journal import Journal, JournalRecord, Log, TableFact
from casino_table.journal.memory_log import MemoryLog
from casino_table.metrics import TableMetrics
from prometheus_client import CollectorRegistry
from support.processes import run_until
from support.table.table_side import InProcessNetwork, LobbyStub, StillClock

SOON = timedelta(seconds=5)


class NotingLog(DiskLog):
    """A log that notes what is stored as confirmed."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.confirmed: list[int] = []

    def delivered(self, epoch: int, sequence: int) -> None:
        """Note the sequence."""
        super().delivered(epoch, sequence)
        self.confirmed.append(sequence)


class Publishing:
    """A publisher with its lobby."""

    def __init__(self, log: Log | None = None) -> None:
        self.network, self.lobby, self.clock = InProcessNetwork(), LobbyStub(), StillClock()
        self.url = self.network.add("lobby", self.lobby.agent())
        self.refused: list[str] = []
        self.registry = CollectorRegistry()
        self.journal = Journal("t1", 1, self.clock.timestamp, log or MemoryLog())
        callback = CasinoCallback(agent_card_url=self.url, event_skill="recordGameEvent")
        self.publisher = Publisher(
            self.journal,
            self.network.client(),
            callback,
            self.clock,
            random.Random(1),
            self.refused.append,
            TableMetrics(self.registry),
        )

    def happen(self, times: int = 1, message: str = "m") -> None:
        """Commit events."""
        payload = StatusPayload(status="running", kind="started")
        self.journal.commit(
            JournalRecord("note"), [TableFact("table_status", message, payload)] * times
        )

    @property
    def received(self) -> list[int | None]:
        """The sequences that the lobby has, in order."""
        return [event.sequence for event in self.lobby.events]


@pytest.fixture
async def publishing() -> AsyncIterator[Publishing]:
    """Run a publisher."""
    publishing = Publishing()
    running = asyncio.ensure_future(publishing.publisher.run())
    yield publishing
    running.cancel()
    await asyncio.wait([running])


async def test_events_arrive_in_order_and_in_batches(publishing: Publishing) -> None:
    """Of at most a hundred."""
    publishing.happen(250)
    assert await publishing.publisher.flush(SOON)
    assert publishing.received == list(range(1, 251))
    assert [len(batch) for batch in publishing.lobby.batches] == [100, 100, 50]
    assert publishing.journal.undelivered == 0


async def test_a_batch_has_at_most_256_kib(publishing: Publishing) -> None:
    """However long the messages are."""
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
    """Nothing is lost or reordered."""
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
    publishing.lobby.trouble = [RuntimeError("disk"), CommandRefused("DRAINING", "later")]
    publishing.happen(2)
    assert await publishing.publisher.flush(SOON)
    assert publishing.received == [1, 2]
    assert publishing.clock.time > 1000.1


async def test_flushing_ends_at_its_timeout(publishing: Publishing) -> None:
    """A process that ends does not wait for ever."""
    del publishing.network.transport.apps["http://lobby"]
    publishing.happen(1)
    assert not await publishing.publisher.flush(timedelta(milliseconds=50))


async def test_a_gap_is_filled_from_the_wanted_sequence(publishing: Publishing) -> None:
    """The refusal names it."""
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
    publishing = Publishing(log)
    running = asyncio.ensure_future(publishing.publisher.run())
    publishing.happen(5)
    assert await publishing.publisher.flush(SOON)
    publishing.lobby.lose_after(2)
    publishing.happen(1)
    assert await publishing.publisher.flush(SOON)
    assert publishing.received == [1, 2, 3, 4, 5, 6]
    assert log.confirmed == [5, 2, 6]
    running.cancel()
    await asyncio.wait([running])
    log.close()


@pytest.mark.parametrize("reason", ["STALE_EPOCH", "UNKNOWN_TABLE", "SEQUENCE_CONFLICT"])
async def test_a_permanent_refusal_ends_publishing(publishing: Publishing, reason: str) -> None:
    """Nothing is sent afterwards."""
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
    publishing.publisher.callback = CasinoCallback(
        agent_card_url=url, event_skill="recordGameEvent"
    )
    publishing.happen(1)
    assert await publishing.publisher.flush(SOON)
    assert [[event.sequence for event in batch] for batch in elsewhere.batches] == [[3]]
