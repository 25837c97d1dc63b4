"""What a table process tells of itself at /metrics."""

import asyncio

import httpx
from casino_agentkit import CommandRefused
from casino_contracts import ActionRequest, ActionResponse, StartGameInput
from casino_table.app import build_app
from casino_table.metrics import TableGauges, TableMetrics
from casino_table.settings import TableSettings
from prometheus_client import CollectorRegistry
from support.table.table_harness import TableHarness
from support.table.table_side import calling


def value(registry: CollectorRegistry, name: str, **labels: str) -> float | None:
    """Return one sample."""
    return registry.get_sample_value(name, labels)


def wrong(request: ActionRequest) -> ActionResponse:
    """Answer what is not possible, every time."""
    return ActionResponse(action="bet" if "bet" not in request.legal_actions else "raise")


async def test_decisions_and_hands_are_counted() -> None:
    """Each decision once, by its outcome; who was asked is timed, who sits out is not."""
    evening = TableHarness()
    await evening.begin(calling, calling, wrong, rules={"maxTimeouts": 2})
    await evening.play()
    outcomes = [(event.payload or {})["outcome"] for event in evening.events("action_taken")]
    for outcome in ("ok", "illegal", "timeout", "retried", "malformed", "unreachable"):
        counted = value(evening.registry, "casino_decisions_total", outcome=outcome)
        assert counted == outcomes.count(outcome), outcome
    assert {"ok", "illegal", "timeout"} <= {*outcomes}, "it sits out, and comes back"
    hands = value(evening.registry, "casino_hands_total")
    assert hands == len(evening.events("hand_completed")) == 10
    await evening.host.stop()


async def test_who_was_asked_is_timed() -> None:
    """By the table's clock."""
    evening = TableHarness()

    def slow(request: ActionRequest) -> ActionResponse:
        evening.clock.time += 2
        return calling(request)

    await evening.begin(slow, calling, rules={"maxHands": 3})
    await evening.play()
    count = value(evening.registry, "casino_decision_seconds_count")
    total = value(evening.registry, "casino_decision_seconds_sum")
    assert count == len(evening.players[0].asked)
    assert total == 2 * len(evening.players[0].asked)
    await evening.host.stop()


async def test_events_that_are_sent_again_are_counted() -> None:
    """Those that the lobby had been sent before, and no others."""
    evening = TableHarness()
    await evening.begin(calling, calling)
    await evening.delivered()
    assert value(evening.registry, "casino_event_redeliveries_total") == 0
    evening.lobby.trouble = [CommandRefused("BUSY", "later"), CommandRefused("BUSY", "later")]
    await evening.host.start(StartGameInput(max_hands=1))
    await evening.end()
    assert (value(evening.registry, "casino_event_redeliveries_total") or 0) >= 2
    await evening.host.stop()


async def test_a_host_says_how_it_stands() -> None:
    """Free before a room comes, and after it has gone."""
    evening = TableHarness()
    assert evening.host.gauges() == TableGauges("free")
    await evening.begin(calling, calling, calling)
    app = evening.town.transport.apps.pop("http://lobby")
    assert evening.host.gauges() == TableGauges("waiting", 600, 4)
    evening.town.transport.apps["http://lobby"] = app
    await evening.host.start(StartGameInput())
    assert evening.host.gauges().status == "running"
    await evening.end()
    assert evening.host.gauges() == TableGauges("idle", 600, 0)
    await evening.host.close()
    while evening.host.table_id is not None:
        await asyncio.sleep(0)
    assert evening.host.gauges() == TableGauges("free")


def test_standings_are_added_up_when_somebody_looks() -> None:
    """Over all tables of the process; amounts are those of the wire."""
    registry = CollectorRegistry()
    stands = [TableGauges("running", 600, 3), TableGauges("running", 0.5, 0), TableGauges("free")]
    TableMetrics(registry).watch([lambda: stands[0], lambda: stands[1], lambda: stands[2]])
    assert value(registry, "casino_tables", status="running") == 2
    assert value(registry, "casino_tables", status="free") == 1
    assert value(registry, "casino_tables", status="error") == 0
    assert value(registry, "casino_chips_in_play") == 600.5
    assert value(registry, "casino_events_undelivered") == 3
    stands[0] = TableGauges("error", 600, 9)
    assert value(registry, "casino_tables", status="error") == 1
    assert value(registry, "casino_events_undelivered") == 9


async def test_a_process_tells_the_counts_of_its_tables_and_of_its_calls() -> None:
    """On one page."""
    service = build_app(TableSettings(count=3), "http://tables")
    transport = httpx.ASGITransport(service.asgi())
    async with httpx.AsyncClient(transport=transport, base_url="http://tables") as http:
        page = (await http.get("/metrics")).text
    assert 'casino_tables{status="free"} 3.0\n' in page
    assert 'casino_decisions_total{outcome="ok"} 0.0\n' in page
    assert 'agent_calls_total{outcome="ok",skill="handRecord"} 0.0\n' in page
    assert "process_open_fds" in page
    await service.stop()
