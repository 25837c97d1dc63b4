"""What the lobby counts."""

from datetime import UTC, datetime

from casino_contracts import RecordGameEventOutput, TableEventBatch
from casino_lobby.domain.lobby_events import EventsCommitted
from casino_lobby.lobby_metrics import LobbyMetrics, RoomCollector
from casino_lobby.store import MemoryStore
from prometheus_client import CollectorRegistry
from support.casino.casino_side import CasinoHarness, Operator
from support.casino.store_side import EventFactory, new_room
from support.processes import run_until
from support.table.table_side import SOON


async def test_events_are_counted_and_how_long_they_took() -> None:
    registry, store = CollectorRegistry(), MemoryStore(100)
    recorded_at = datetime(
        2026, 11, 20, 19, 43, 2, 623_000, tzinfo=UTC
    )  # 2.5 s after the factory's
    metrics = LobbyMetrics(registry, lambda: recorded_at)
    store.bus.subscribe(EventsCommitted, metrics.count_events)
    room = new_room()
    await store.add(room)
    events = EventFactory(room).some(4)
    times = [
        "2026-11-20T19:43:00.123Z",
        "2026-11-20T19:43:00.123",
        "yesterday",
        "2027-01-01T00:00Z",
    ]
    await store.record(
        room,
        [
            one.model_copy(update={"timestamp": time})
            for one, time in zip(events, times, strict=True)
        ],
    )
    assert registry.get_sample_value("casino_events_recorded_total") == 4
    assert registry.get_sample_value("casino_delivery_lag_seconds_count") == 3
    assert registry.get_sample_value("casino_delivery_lag_seconds_sum") == 5.0  # none is negative


def test_rooms_are_reported_by_status() -> None:
    rooms = [new_room(f"r{number}") for number in range(4)]
    rooms[0].status, rooms[0].stacks = "running", {"p0": 190, "p1": 205.5}
    rooms[1].fail("gone")
    rooms[1].stacks = {"p0": 200}
    rooms[2].phase = "closed"
    rooms[3].ledger.balances["discrepancy"] = 5
    registry = CollectorRegistry()
    registry.register(RoomCollector(lambda: rooms))
    assert registry.get_sample_value("casino_rooms_miscounted") == 1
    assert registry.get_sample_value("casino_chips_in_play") == 395.5
    assert {
        status: registry.get_sample_value("casino_rooms", {"status": status})
        for status in ("waiting", "running", "idle", "error", "closed", "failed")
    } == {"waiting": 1, "running": 1, "idle": 0, "error": 0, "closed": 1, "failed": 1}


async def test_the_page_tells_them_all() -> None:
    harness = CasinoHarness()
    async with harness.tables.running(), harness.lobby.running():
        operator = Operator(harness)
        await operator.open()
        room = harness.store.rooms()[0]
        await run_until(lambda: room.last_sequence)
        lobby = await harness.client().resolve("http://lobby", timeout=SOON)
        again = TableEventBatch(events=tuple(room.recent))
        await lobby.call(
            "recordGameEvent",
            again,
            RecordGameEventOutput,
            timeout=SOON,
            token=room.key().events,
        )
        async with harness.http() as http:
            lines = (await http.get("/metrics")).text.splitlines()
    assert 'casino_rooms{status="waiting"} 1.0' in lines
    assert "casino_chips_in_play 0.0" in lines
    assert f"casino_events_recorded_total {room.last_sequence}.0" in lines
    assert f"casino_events_repeated_total {len(again.events)}.0" in lines
    assert 'casino_stream_clients{feed="commentator"} 0.0' in lines
    assert 'casino_stream_dropped_total{reason="stalled"} 0.0' in lines
    assert 'agent_calls_total{outcome="ok",skill="recordGameEvent"} 2.0' in lines
