"""The metrics of a table process."""

from datetime import timedelta
from typing import get_args

from casino_contracts import (
    ActionRequest,
    ActionResponse,
    Defaulted,
    Outcome,
    StartGameInput,
    Usage,
)
from casino_play.turn import Decision
from casino_table.table_metrics import TableGauges, TableMetrics
from prometheus_client import CollectorRegistry
from support.players.holdem_players import illegal
from support.table.table_harness import TableHarness
from support.table.table_side import calling


def value(registry: CollectorRegistry, name: str, **labels: str) -> float | None:
    return registry.get_sample_value(name, labels)


async def test_decisions_and_hands_are_counted() -> None:
    """Each decision once, by its outcome; a seat that sits out is not timed."""
    harness = TableHarness()
    await harness.begin(calling, calling, illegal, rules={"maxTimeouts": 2})
    await harness.play()
    outcomes = [one["outcome"] for one in harness.payloads("action_taken")]
    for outcome in get_args(Outcome):
        counted = value(harness.registry, "casino_decisions_total", outcome=outcome)
        assert counted == outcomes.count(outcome), outcome
    assert {"ok", "illegal", "sitting_out"} <= {*outcomes}, "it sits out, and comes back"
    hands = value(harness.registry, "casino_hands_total")
    assert hands == len(harness.events("hand_completed")) == 10
    await harness.host.stop()


async def test_defaults_are_counted_at_once_and_costs_with_the_end_of_the_hand() -> None:
    """Reasons that no table knows are `other`: a label is no input of a player."""
    registry = CollectorRegistry()
    metrics = TableMetrics(registry)
    usage = Usage(model="x", input_tokens=90, output_tokens=10, cost_usd=0.5)
    decisions = [
        Decision({}, "defaulted", timedelta(0), defaulted=Defaulted(reason=reason), usage=usage)
        for reason in ("model_failed", "out_of_luck", "other")
    ]
    for decision in decisions:
        metrics.decided(decision)
    for reason, count in (("model_failed", 1), ("other", 2), ("budget", 0), ("out_of_luck", None)):
        counted = value(registry, "casino_decisions_defaulted_total", reason=reason)
        assert counted == count, reason
    assert value(registry, "casino_decision_cost_usd_total") == 0
    metrics.hand_completed(decisions)
    assert value(registry, "casino_decision_cost_usd_total") == 1.5
    assert value(registry, "casino_decision_tokens_total", kind="input") == 270
    assert value(registry, "casino_decision_tokens_total", kind="output") == 30


async def test_decisions_are_timed() -> None:
    harness = TableHarness(latency_s=0)

    def slow(request: ActionRequest) -> ActionResponse:
        harness.clock.jump(2)
        return calling(request)

    await harness.begin(slow, calling, rules={"maxHands": 3})
    await harness.play()
    count = value(harness.registry, "casino_decision_seconds_count")
    total = value(harness.registry, "casino_decision_seconds_sum")
    assert count == len(harness.players[0].asked)
    assert total == 2 * len(harness.players[0].asked)
    await harness.host.stop()


async def test_gauges_follow_the_table() -> None:
    """A table is free before a room is configured and after it is closed."""
    harness = TableHarness()
    assert harness.host.gauges() == TableGauges("free")
    await harness.begin(calling, calling, calling)
    app = harness.network.transport.apps.pop("http://lobby")
    assert harness.host.gauges() == TableGauges("waiting", 600, 4)
    harness.network.transport.apps["http://lobby"] = app
    await harness.host.start(StartGameInput())
    assert harness.host.gauges().status == "running"
    await harness.end()
    assert harness.host.gauges() == TableGauges("idle", 600, 0)
    await harness.host.close()
    await harness.until(lambda: harness.host.table_id is None)
    assert harness.host.gauges() == TableGauges("free")


def test_gauges_are_summed_over_all_tables() -> None:
    """At each scrape; amounts are those of the wire."""
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
