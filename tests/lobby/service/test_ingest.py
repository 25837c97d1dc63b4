"""Events of a table are recorded once, in order, and only in the current epoch."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from casino_agentkit import RemoteRefused
from casino_contracts import (
    RecordGameEventOutput,
    TableEvent,
    TableEventBatch,
)
from casino_lobby.domain.epoch import begin_epoch
from support.attack.hostile_events import document_room
from support.casino.casino_side import LOBBY, CasinoHarness, Operator
from support.processes import run_until
from support.table.table_side import SOON

Record = Callable[..., Awaitable[int | None]]


def event(sequence: int | None, message: str = "m", **more: Any) -> TableEvent:
    """Return an event of table r1."""
    return TableEvent.model_validate(
        {
            "tableId": "r1",
            "eventType": "table_status",
            "message": message,
            "timestamp": "now",
            "sequence": sequence,
            "epoch": 1,
            **more,
        }
    )


@pytest.fixture
async def record(network: CasinoHarness, operator: Operator) -> Record:
    """Open a room, wait for its table's first event, and return a call of `recordGameEvent`."""
    await operator.open()
    await operator.until(lambda room: room.events)
    peer = await network.a2a().resolve(LOBBY, timeout=SOON)

    async def call(*events: TableEvent) -> int | None:
        message: Any = events[0] if len(events) == 1 else TableEventBatch(events=events)
        token = network.key(epoch=events[0].epoch).events
        reply = await peer.call(
            "recordGameEvent", message, RecordGameEventOutput, timeout=SOON, token=token
        )
        return reply.sequence

    return call


async def test_new_events_are_taken_in_order(record: Record) -> None:
    """One event at a time, or a batch."""
    assert await record(event(2)) == 2
    assert await record(event(3), event(4), event(5)) == 5


async def test_known_events_are_ignored(record: Record, operator: Operator) -> None:
    """A batch that is delivered again is recorded once."""
    batch = [event(2), event(3)]
    assert await record(*batch) == 3
    assert await record(*batch, event(4)) == 4
    page = (await operator.http.get("/v1/rooms/r1/events")).json()
    assert [row["sequence"] for row in page["events"]] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ([event(2), event(3, "other")], "SEQUENCE_CONFLICT"),
        ([event(9)], "SEQUENCE_GAP"),
        ([event(4), event(6)], "SEQUENCE_GAP"),
        ([event(4, epoch=2)], "STALE_EPOCH"),
        ([event(4, tableId="nobody's")], "UNKNOWN_TABLE"),
        ([event(4), event(5, tableId="r2")], "UNKNOWN_TABLE"),
    ],
)
async def test_a_batch_with_a_wrong_event_is_refused(
    record: Record, operator: Operator, events: list[TableEvent], reason: str
) -> None:
    """No event of a refused batch is recorded."""
    await record(event(2), event(3))
    with pytest.raises(RemoteRefused) as refused:
        await record(*events)
    assert refused.value.reason == reason
    if reason == "SEQUENCE_GAP":
        assert refused.value.details["wanted"] in {"4", "5"}
    page = (await operator.http.get("/v1/rooms/r1/events")).json()
    assert page["lastSequence"] == 3


async def test_a_bound_table_of_an_earlier_epoch_gets_a_new_one(
    network: CasinoHarness, record: Record
) -> None:
    """Its journal has lost the room's epoch as well; it stops, and nothing else would wake it."""
    room = network.store.room("r1")
    assert room is not None
    begin_epoch(room)
    with pytest.raises(RemoteRefused) as refused:
        await record(event(2))
    assert refused.value.reason == "STALE_EPOCH"
    await run_until(lambda: (room.epoch, room.last_sequence) == (3, 1))


async def test_a_table_that_repeats_less_than_is_recorded_is_asked_how_much_it_has(
    network: CasinoHarness, record: Record
) -> None:
    """It has one event: it lost the others, and sends nothing new that would tell."""
    room = network.store.room("r1")
    assert room is not None
    await record(event(2), event(3))
    assert await record(event(2)) == 3
    await run_until(lambda: (room.epoch, room.last_sequence) == (2, 1))


async def test_a_keyed_table_numbers_all_its_events(record: Record) -> None:
    """Events without sequence or epoch are refused."""
    for unnumbered in (event(None), event(2, epoch=None), event(None, epoch=None)):
        with pytest.raises(RemoteRefused) as refused:
            await record(unnumbered)
        assert refused.value.reason == "SEQUENCE_MISSING"
    assert await record(event(2)) == 2


async def test_events_without_sequence_are_numbered_by_arrival(
    network: CasinoHarness, operator: Operator
) -> None:
    """Events of a table without room key need neither sequence nor epoch."""
    room = document_room()
    await network.store.add(room)
    plain = event(None, epoch=None, tableId=room.table_id)
    peer = await network.a2a().resolve(LOBBY, timeout=SOON)
    for number in (1, 2):
        reply = await peer.call(
            "recordGameEvent", plain, RecordGameEventOutput, timeout=SOON, token=room.key().events
        )
        assert reply.sequence == number
    page = (await operator.http.get("/v1/rooms/r1/events")).json()
    assert [(row["sequence"], row["epoch"]) for row in page["events"]] == [(1, 1), (2, 1)]


async def test_events_come_in_pages(record: Record, operator: Operator) -> None:
    """A page has at most `limit` events after the sequence `after`."""
    await record(*(event(number) for number in range(2, 12)))
    page = (await operator.http.get("/v1/rooms/r1/events?after=3&limit=4")).json()
    assert [row["sequence"] for row in page["events"]] == [4, 5, 6, 7]
    assert page["lastSequence"] == 7
    page = (await operator.http.get("/v1/rooms/r1/events?after=11")).json()
    assert (page["events"], page["lastSequence"]) == ([], 11)
