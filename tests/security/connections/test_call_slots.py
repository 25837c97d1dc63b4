"""Calls to agents that others name are limited in number, in total and for each origin."""

import asyncio
from contextlib import suppress
from datetime import timedelta

from casino_agentkit import AgentClient, CallSlots, HttpTransport, TimedOut
from support.attack.raw_servers import agent
from support.attack.replies.raw_process import raw_agents
from support.envelopes import card
from support.on_uvloop import on_uvloop

QUICK_S = 2.0
SOON = timedelta(seconds=5)


class TestSlots:
    """Agents that never answer delay only calls to themselves."""

    @on_uvloop
    async def test_pending_sign_ups_do_not_hold_up_calls_to_tables(self) -> None:
        """1,050 sign-ups wait; with one client and no slots they delay the calls."""

        async def slowest_call(tables: AgentClient, players: AgentClient, agents: str) -> float:
            """Return the seconds of the slowest of a few calls to a table at another address."""
            loop = asyncio.get_running_loop()
            honest = f"{agents}/jsonrpc/honest/.well-known/agent-card.json"
            tarpit = f"{agents}/jsonrpc/card-drips/{{}}.json"
            pending = [
                asyncio.ensure_future(players.resolve(tarpit.format(number), timeout=SOON))
                for number in range(1_050)
            ]
            await asyncio.sleep(1)
            slowest = 0.0
            for _ in range(5):
                began = loop.time()
                with suppress(TimedOut):
                    await tables.resolve(honest, timeout=SOON)
                slowest = max(slowest, loop.time() - began)
                if slowest > QUICK_S:
                    break
            for one in pending:
                one.cancel()
            await asyncio.gather(*pending, return_exceptions=True)
            await players.close()
            await tables.close()
            return slowest

        with raw_agents() as agents:
            players = AgentClient(HttpTransport(), slots=CallSlots())
            assert await slowest_call(AgentClient(HttpTransport()), players, agents) < QUICK_S
            shared = AgentClient(HttpTransport())
            assert await slowest_call(shared, shared, agents) > QUICK_S

    @on_uvloop
    async def test_one_slow_origin_leaves_slots_for_others(self) -> None:
        """One origin has at most 8 of 64 slots."""
        async with agent(lambda origin, _: card("jsonrpc", origin)) as (origin, _):
            with raw_agents() as agents:
                client = AgentClient(HttpTransport(), slots=CallSlots())
                pending = [
                    asyncio.ensure_future(
                        client.resolve(f"{agents}/rest/card-drips/{number}.json", timeout=SOON)
                    )
                    for number in range(200)
                ]
                await asyncio.sleep(0.2)
                await client.resolve(origin, timeout=SOON)
                for one in pending:
                    one.cancel()
                await asyncio.gather(*pending, return_exceptions=True)
                await client.close()

    @on_uvloop
    async def test_there_are_never_more_calls_than_slots(self) -> None:
        """Of one origin, and in total."""
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
