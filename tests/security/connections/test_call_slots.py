"""Calls to agents that others name are limited in number, in total and for each origin."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from casino_agentkit import AgentClient, CallSlots, HttpTransport, TimedOut
from casino_agentkit.client.http.pool import ConnectionPool
from support.attack.replies.raw_agent import HostileAgents

SOON = timedelta(seconds=5)
CONNECTIONS, SIGN_UPS, SLOTS = 20, 40, 8
"""Of a client; that wait for agents that never answer; of an origin."""


@asynccontextmanager
async def sign_ups(players: AgentClient) -> AsyncIterator[HostileAgents]:
    agents = HostileAgents()
    async with agents.listening():
        tarpit = f"{agents.url}/jsonrpc/card-drips/{{}}.json"
        pending = [
            asyncio.ensure_future(players.resolve(tarpit.format(number), timeout=SOON))
            for number in range(SIGN_UPS)
        ]
        await asyncio.sleep(1)
        yield agents
        assert not any(one.done() for one in pending[:SLOTS])
        for one in pending:
            one.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        await players.close()


def honest_at(agents: HostileAgents) -> str:
    return f"{agents.url}/jsonrpc/honest/.well-known/agent-card.json"


@pytest.mark.parametrize("elsewhere", [True, False])
async def test_pending_sign_ups_hold_up_no_other_calls(*, elsewhere: bool) -> None:
    """Of a client without slots, and of this one to other origins; without slots they do."""
    transport = HttpTransport()
    transport._lean._pool = ConnectionPool(limit=CONNECTIONS)
    slots = CallSlots(SLOTS, SLOTS + 1)
    players = AgentClient(transport, slots=slots)
    other, others = HostileAgents(), players if elsewhere else AgentClient(transport)
    async with other.listening(), sign_ups(players) as agents:
        assert agents.open == SLOTS
        await others.resolve(honest_at(other if elsewhere else agents), timeout=SOON / 5)


async def test_without_slots_pending_sign_ups_hold_up_all_others() -> None:
    transport = HttpTransport()
    transport._lean._pool = ConnectionPool(limit=CONNECTIONS)
    other = HostileAgents()
    async with other.listening(), sign_ups(AgentClient(transport)) as agents:
        assert agents.open == CONNECTIONS
        with pytest.raises(TimedOut):
            await AgentClient(transport).resolve(honest_at(other), timeout=SOON / 5)


async def test_there_are_never_more_calls_than_slots() -> None:
    slots, now, most = CallSlots(2, 9), {"all": 0}, {"all": 0}

    async def call(origin: str) -> None:
        async with slots.taken(f"http://{origin}/x"):
            for key in ("all", origin):
                now[key] = now.get(key, 0) + 1
                most[key] = max(most.get(key, 0), now[key])
            await asyncio.sleep(0)
            for key in ("all", origin):
                now[key] -= 1

    await asyncio.gather(*(call(f"o{number % 7}") for number in range(100)))
    assert most.pop("all") == 9
    assert max(most.values()) == 2
    assert not slots._places
