"""Events are written so that they can be read back, or refused."""

import json

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import TableEvent
from casino_contracts.events.table_event import EVENT_BYTES
from casino_lobby.domain.reported_event import proved, read, written
from casino_lobby.store import SqlStore, Store
from support.casino.store_side import EventFactory, new_room, played


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
    def test_readable_events_are_written_unchanged(self, payload: dict[str, object]) -> None:
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
    def test_unreadable_events_are_refused(self, payload: dict[str, object]) -> None:
        event = TableEvent.model_construct(
            table_id="t", event_type="table_status", message="", timestamp="", payload=payload
        )
        with pytest.raises(CommandRefused) as refused:
            proved(event)
        assert refused.value.reason == "EVENT_UNREADABLE"

    async def test_an_unreadable_event_refuses_its_whole_batch(self, store: SqlStore) -> None:
        room, factory = await played(store)
        before = room.to_json()
        good = factory.status("returned")
        bad = factory.status("returned").model_copy(update={"payload": {"n": float("nan")}})
        with pytest.raises(CommandRefused, match="EVENT_UNREADABLE"):
            await store.record(room, [good, bad])
        assert room.to_json() == before
        assert len(await store.events(room, 0, 100)) == 15
        await store.record(room, [good])
        assert room.last_sequence == 16


def of_bytes(factory: EventFactory, size: int) -> TableEvent:
    event = factory.tell("table_status", text="")
    return event.model_copy(update={"payload": {"text": "x" * (size - len(event.wire()))}})


class TestSizes:
    async def test_a_larger_event_refuses_its_whole_batch(self, any_store: Store) -> None:
        room = new_room()
        await any_store.add(room)
        factory = EventFactory(room)
        good = factory.tell("table_status")
        large = of_bytes(factory, EVENT_BYTES + 1)
        with pytest.raises(CommandRefused, match="has 65537 bytes, at most 65536") as refused:
            await any_store.record(room, [good, large])
        assert refused.value.reason == "EVENT_TOO_LARGE"
        assert (room.last_sequence, await any_store.events(room, 0, 10)) == (0, [])
        assert any_store.last_cursor == 0
        largest = of_bytes(EventFactory(room), EVENT_BYTES)
        await any_store.record(room, [largest])
        assert await any_store.events(room, 0, 10) == [largest]
