"""Who numbers a room's events is known again after a restart of the lobby."""

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import TableEvent
from casino_lobby.domain.lobby_events import MessageBus
from casino_lobby.service.recording import EventIngest
from casino_lobby.store import SqlStore
from support.attack.hostile_events import document_room
from support.casino.store_side import EventFactory, OpenStore


def _unnumbered(event: TableEvent) -> TableEvent:
    return event.model_copy(update={"sequence": None, "epoch": None})


@pytest.mark.parametrize("strays", [0, 2])
async def test_a_table_that_numbers(store: SqlStore, open_store: OpenStore, strays: int) -> None:
    room = document_room()
    await store.add(room)
    factory = EventFactory(room)
    ingest = EventIngest(store, MessageBus())
    for number in range(strays):
        event = factory.tell("table_status", f"stray {number}")
        await ingest.record(room, [_unnumbered(event)])
    factory.sequence = 0
    own = factory.some(5)
    await ingest.record(room, own[:3])
    await store.close()
    store = await open_store()
    (again,) = store.rooms()
    ingest = EventIngest(store, MessageBus())
    with pytest.raises(CommandRefused) as refused:
        await ingest.record(again, [_unnumbered(own[0])])
    assert refused.value.reason == "SEQUENCE_MISSING"
    recorded = await ingest.record(again, own)
    assert [event.sequence for event in recorded] == [strays + 4, strays + 5]
    assert (again.table_sequence, again.last_sequence) == (5, strays + 5)
