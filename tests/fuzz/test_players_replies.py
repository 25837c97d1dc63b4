"""Generated replies: none costs more than the clock, none ends a session.

`make fuzz-replies` generates 1,000; `CASINO_FUZZ_EXAMPLES` says how many (60). Each is a seed that
a failure names.
"""

import os
import random
from collections import Counter

import pytest
from casino_agentkit import AgentClient, HttpTransport
from casino_contracts import StartGameInput
from casino_table.delivery.event_publisher import EventDelivery
from casino_table.journal.journal_log import MemoryLog
from casino_table.running_table import TableDependencies
from casino_table.service import TableService
from casino_table.table_metrics import TableMetrics
from fuzz.players_replies import fuzzed
from prometheus_client import CollectorRegistry
from support.attack.replies.raw_agent import HostileAgents
from support.attack.replies.victim import CLOCK, MOST_CALLS, counted, decide, in_time
from support.direct import BothWays
from support.envelopes import EVERY_BINDING, INVOKE
from support.table.table_harness import TableHarness
from support.table.table_side import CONFIG, calling, configuring, seating
from support.table.virtual_clock import VirtualClock

EXAMPLES = int(os.environ.get("CASINO_FUZZ_EXAMPLES", "60"))
CARD = ".well-known/agent-card.json"


async def test_no_reply_costs_more_than_the_clock() -> None:
    """In time and calls, with one client for all replies; memory is mostly the generator's."""
    client, agents, outcomes = AgentClient(HttpTransport()), HostileAgents(fuzzed), Counter[str]()
    async with agents.listening():
        for binding in EVERY_BINDING:
            await decide(client, f"{agents.url}/{binding}/honest/{CARD}")
            for seed in range(EXAMPLES // len(EVERY_BINDING)):
                async with in_time(CLOCK):
                    with counted() as work:
                        cost = await decide(client, f"{agents.url}/{binding}/{seed}/{CARD}")
                assert work.calls <= MOST_CALLS, (binding, seed, work)
                assert all(len(rejection.wire()) < 6_000 for rejection in cost.rejected), seed
                outcomes[cost.decision.outcome] += 1
        await client.close()
    expected = {"ok", "retried", "timeout", "malformed", "unreachable", "disconnected"}
    assert set(outcomes) <= expected
    assert len(outcomes) >= 3, "the generator makes too little of different kinds"


@pytest.mark.parametrize("binding", ["jsonrpc", INVOKE])
async def test_a_session_with_a_hostile_player_ends_in_order(binding: str) -> None:
    """All hands are played, all chips are there, and other players are not disturbed."""
    transport, agents, harness = BothWays(), HostileAgents(fuzzed), TableHarness()
    transport.apps = harness.network.transport.apps
    client, clock = AgentClient(transport), VirtualClock()
    delivery = EventDelivery(client, clock, random.Random(1))
    metrics = TableMetrics(CollectorRegistry())
    dependencies = TableDependencies(client, clock, delivery, lambda: "entropy", metrics)
    harness.host = TableService(dependencies, MemoryLog())
    hands = max(10, EXAMPLES // 20)
    rules = {"maxHands": hands, "actionTimeoutMs": 300, "maxTimeouts": 1_000, "rebuy": "auto"}
    await harness.host.configure(configuring(config={**CONFIG, **rules}))
    await harness.join(calling)
    await harness.join(calling)
    async with agents.listening():
        hostile = seating(9, f"{agents.url}/{binding}/{binding}/{CARD}")
        await harness.host.register(hostile)
        await harness.host.start(StartGameInput())
        await harness.host.wait_idle()
        summary = await harness.host.summary()
        assert (summary.status, summary.hand_count) == ("idle", hands)
        bought = sum((event.payload or {})["amount"] for event in harness.events("rebought"))
        assert sum(seat.stack for seat in summary.players) == 600 + bought
        outcomes: dict[str, Counter[str]] = {}
        for event in harness.events("action_taken"):
            payload = event.payload or {}
            outcomes.setdefault(payload["playerId"], Counter())[payload["outcome"]] += 1
        assert set(outcomes["p0"]) == set(outcomes["p1"]) == {"ok"}
        assert outcomes["p9"].total() >= hands / 2
        await harness.host.stop()
        await transport.close()
