"""The way to the lobby: in order, in batches, at least once, whatever the lobby does."""

import asyncio
import random
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import CasinoCallback, StatusPayload
from casino_table.delivery.publisher import BATCH_BYTES, Publisher
from casino_table.journal.journal import Journal, JournalRecord, TableFact
from casino_table.journal.memory_log import MemoryLog
from casino_table.metrics import TableMetrics
from prometheus_client import CollectorRegistry
from support.table.table_side import InProcessNetwork, LobbyStub, StillClock

SOON = timedelta(seconds=5)


class Post:
    """A publisher with its lobby."""

    def __init__(self) -> None:
        self.town, self.lobby, self.clock = InProcessNetwork(), LobbyStub(), StillClock()
        self.url = self.town.add("lobby", self.lobby.agent())
        self.refused: list[str] = []
        self.registry = CollectorRegistry()
        self.journal = Journal("t1", 1, self.clock.timestamp, MemoryLog())
        callback = CasinoCallback(agent_card_url=self.url, event_skill="recordGameEvent")
        self.publisher = Publisher(
            self.journal,
            self.town.client(),
            callback,
            self.clock,
            random.Random(1),
            self.refused.append,
            TableMetrics(self.registry),
        )

    def happen(self, times: int = 1, message: str = "m") -> None:
        """Write events."""
        payload = StatusPayload(status="running", kind="started")
        self.journal.commit(
            JournalRecord("note"), [TableFact("table_status", message, payload)] * times
        )

    @property
    def received(self) -> list[int | None]:
        """The sequences that the lobby was sent, in order."""
        return [event.sequence for event in self.lobby.events]


@pytest.fixture
async def post() -> AsyncIterator[Post]:
    """Run a publisher."""
    post = Post()
    running = asyncio.ensure_future(post.publisher.run())
    yield post
    running.cancel()
    await asyncio.wait([running])


async def test_events_arrive_in_order_and_in_batches(post: Post) -> None:
    """At most a hundred in each."""
    post.happen(250)
    assert await post.publisher.flush(SOON)
    assert post.received == list(range(1, 251))
    assert [len(batch) for batch in post.lobby.batches] == [100, 100, 50]
    assert post.journal.undelivered == 0


async def test_a_batch_is_never_too_large(post: Post) -> None:
    """256 KiB, however long the messages are."""
    post.happen(20, "x" * 40_000)
    assert await post.publisher.flush(SOON)
    assert post.received == list(range(1, 21))
    for batch in post.lobby.batches:
        assert sum(len(event.model_dump_json()) for event in batch) <= BATCH_BYTES


async def test_a_single_event_beyond_the_limit_still_goes(post: Post) -> None:
    """It cannot be cut."""
    post.happen(1, "x" * 300_000)
    post.happen(1)
    assert await post.publisher.flush(SOON)
    assert post.received == [1, 2]


async def test_a_lobby_that_is_away_is_tried_again(post: Post) -> None:
    """Nothing is lost, nothing overtakes."""
    app = post.town.transport.apps.pop("http://lobby")
    post.happen(3)
    for _ in range(20):
        await asyncio.sleep(0)
    assert post.journal.undelivered == 3
    post.town.transport.apps["http://lobby"] = app
    post.happen(1)
    assert await post.publisher.flush(SOON)
    assert post.received == [1, 2, 3, 4]


async def test_a_failing_lobby_is_tried_again(post: Post) -> None:
    """A fault on its side, or a refusal that is not for good."""
    post.lobby.trouble = [RuntimeError("disk"), CommandRefused("DRAINING", "later")]
    post.happen(2)
    assert await post.publisher.flush(SOON)
    assert post.received == [1, 2]
    assert post.clock.time > 1000.1


async def test_flushing_gives_up_in_time(post: Post) -> None:
    """A process that ends does not wait for ever."""
    del post.town.transport.apps["http://lobby"]
    post.happen(1)
    assert not await post.publisher.flush(timedelta(milliseconds=50))


async def test_a_gap_is_filled_from_where_the_lobby_stands(post: Post) -> None:
    """It says which sequence it wants."""
    post.happen(5)
    post.lobby.trouble = [CommandRefused("SEQUENCE_GAP", "send 1 first", details={"wanted": "1"})]
    assert await post.publisher.flush(SOON)
    assert post.received == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("reason", ["STALE_EPOCH", "UNKNOWN_TABLE", "SEQUENCE_CONFLICT"])
async def test_a_table_that_was_replaced_stops(post: Post, reason: str) -> None:
    """Nothing is sent any more."""
    post.lobby.trouble = [CommandRefused(reason, "stop")]
    post.happen(2)
    assert not await post.publisher.flush(SOON)
    assert post.refused == [reason]
    post.happen(2)
    assert not await post.publisher.flush(SOON)
    assert post.received == []


async def test_a_new_callback_is_taken_from_the_next_batch_on(post: Post) -> None:
    """The lobby may have moved."""
    post.happen(2)
    assert await post.publisher.flush(SOON)
    elsewhere = LobbyStub()
    elsewhere._known.update(post.lobby._known)  # it moved with its store
    url = post.town.add("elsewhere", elsewhere.agent())
    post.publisher.callback = CasinoCallback(agent_card_url=url, event_skill="recordGameEvent")
    post.happen(1)
    assert await post.publisher.flush(SOON)
    assert [[event.sequence for event in batch] for batch in elsewhere.batches] == [[3]]
