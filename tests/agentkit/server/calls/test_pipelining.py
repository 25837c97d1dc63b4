"""Requests behind a request that is not answered yet: each has its turn, and none is lost."""

import asyncio
from dataclasses import replace
from functools import partial

import pytest
from casino.attack.attack_traffic import AttackConnection, head
from casino_agentkit.server.server_limits import DEFAULT_LIMITS
from support.plain.agent import PlainAgent
from support.plain.requests import call, data_of
from support.plain.server import called, plain_server
from support.processes import run_until
from support.replies.server import turns

BY_APPLICATION = "Connection: keep-alive", "Expect: nothing"
"""Headers of a call that the protocol does not answer."""
SLOW = {"plain": call("slow"), "application": call("slow", {}, *BY_APPLICATION)}
QUICK = {"plain": call("quick"), "application": call("quick", {}, *BY_APPLICATION)}


async def is_silent(connection: AttackConnection) -> bool:
    """Return whether nothing comes while everything that has arrived is read."""
    reading = asyncio.ensure_future(connection.next_bytes())
    await turns(10)
    is_done = reading.done()
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    return not is_done


@pytest.mark.parametrize("behind", [["plain"], ["application"], ["plain", "application", "plain"]])
@pytest.mark.parametrize("first", ["plain", "application"])
@pytest.mark.parametrize("apart", [True, False])
async def test_answers_come_in_the_order_of_the_requests(
    first: str, behind: list[str], *, apart: bool
) -> None:
    made = PlainAgent()
    requests = [SLOW[first], *(QUICK[kind] for kind in behind)]
    async with plain_server(made.agent) as server, called(server) as connection:
        for piece in requests if apart else [b"".join(requests)]:
            await connection.send(piece)
            await turns()
        await run_until(partial(made.is_waiting, 1))
        assert await is_silent(connection)
        assert not made.ran
        made.go.set()
        assert data_of(await connection.response())["number"] == 1
        for number in range(1, len(behind) + 1):
            assert data_of(await connection.response())["number"] == number
        assert made.ran == {"slow": 1, "quick": len(behind)}


async def test_what_is_held_is_read_on_whatever_its_pieces_are() -> None:
    """Half a request behind a slow call, whose rest comes before and after the answer."""
    made = PlainAgent()
    second, third = call("quick", {"text": "x" * 100}), call("prompt")
    async with plain_server(made.agent) as server, called(server) as connection:
        await connection.send(SLOW["plain"])
        await run_until(partial(made.is_waiting, 1))
        for piece in (second[:10], second[10:200], second[200:-1]):
            await connection.send(piece)
            await turns()
        made.go.set()
        await connection.response()
        await connection.send(second[-1:] + third)
        assert data_of(await connection.response())["text"] == "x" * 100
        assert data_of(await connection.response())["number"] == 1


@pytest.mark.parametrize("first", ["plain", "application"])
async def test_so_many_may_wait(first: str) -> None:
    """More close the connection; what ran before is answered no more."""
    made = PlainAgent()
    limits = replace(DEFAULT_LIMITS, pipelined=4)
    async with plain_server(made.agent, limits=limits) as server:
        async with called(server) as connection:
            await connection.send(SLOW[first] + QUICK["plain"] * 4)
            await run_until(partial(made.is_waiting, 1))
            made.go.set()
            for _ in range(5):
                await connection.response()
        made.go.clear()
        async with called(server) as connection:
            await connection.send(SLOW[first] + QUICK["plain"] * 20)
            await connection.answer()
        assert server.metrics['agent_connections_cut_total{reason="pipelined"}'] == 1
        made.go.set()


async def test_a_flood_behind_a_slow_call_is_not_read() -> None:
    made = PlainAgent()
    async with plain_server(made.agent) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(SLOW["plain"])
        await run_until(partial(made.is_waiting, 1))
        writer.write(head("GET /healthz") * 200_000)
        await turns(50)
        unsent = writer.transport.get_write_buffer_size()
        await turns(50)
        assert writer.transport.get_write_buffer_size() == unsent > 0
        (protocol,) = server.server.server_state.connections
        assert len(protocol._held) <= 2**18  # type: ignore[union-attr]  # a plain one
        writer.transport.abort()
        made.go.set()
        reader.feed_eof()


@pytest.mark.parametrize("has_front", [True, False])
async def test_answers_that_nobody_reads_are_not_made(*, has_front: bool) -> None:
    """A caller that only sends is not answered further than its connection takes."""
    made = PlainAgent()
    text = "x" * 50_000
    request = call("quick", {"text": text})
    async with plain_server(made.agent, has_front=has_front) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=1_024)
        await run_until(lambda: bool(server.server.server_state.connections))
        (protocol,) = server.server.server_state.connections
        for _ in range(400):
            writer.write(request)
            await turns()
        assert made.ran["quick"] * len(text) < 2**23  # the system's buffers take some megabytes
        assert protocol.transport.get_write_buffer_size() < 2**19
        assert data_of(await AttackConnection(reader, writer).response())["number"] == 1
        writer.transport.abort()
