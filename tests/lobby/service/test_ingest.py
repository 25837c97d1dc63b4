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
from casino_lobby.domain.room_fold import begin_epoch
from support.casino.casino_side import LOBBY, CasinoHarness, Operator
from support.processes import run_until
from support.table.table_side import SOON

Record = Callable[..., Awaitable[int | None]]


def event(sequence: int | None, message: str = "m", **more: Any) -> TableEvent:
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


async def test_known_events_are_ignored(record: Record, operator: Operator) -> None:
    batch = [event(2), event(3)]
    assert await record(*batch) == 3
    assert await record(*batch, event(4)) == 4
    for query, sequences in (("", [1, 2, 3, 4]), ("?after=1&limit=2", [2, 3]), ("?after=4", [])):
        page = (await operator.http.get(f"/v1/rooms/r1/events{query}")).json()
        assert [row["sequence"] for row in page["events"]] == sequences
        assert page["lastSequence"] == (sequences or [4])[-1]


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
