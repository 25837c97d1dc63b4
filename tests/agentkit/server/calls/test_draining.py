"""A server that ends answers the call that runs, and then closes its connection."""

import asyncio
from functools import partial

import pytest
from support.plain.agent import PlainAgent
from support.plain.requests import call, data_of
from support.plain.server import called, plain_server
from support.processes import run_until
from support.replies.server import turns

CLOSES = b"\r\nconnection: close\r\n"


@pytest.mark.parametrize("has_front", [True, False])
async def test_a_running_call_is_answered(*, has_front: bool) -> None:
    """Its answer says that it is the last; an idle connection is closed at once."""
    made = PlainAgent()
    async with (
        plain_server(made.agent, has_front=has_front) as server,
        called(server) as busy,
        called(server) as idle,
    ):
        await idle.send(call("quick"))
        assert CLOSES not in await idle.response()
        await busy.send(call("slow", {"text": "x"}))
        await run_until(partial(made.is_waiting, 1))
        server.server.should_exit = True
        assert await idle.answer() == b""
        made.go.set()
        response = await busy.response()
        assert data_of(response) == {"text": "x", "number": 1}
        assert CLOSES in response
        assert await busy.answer() == b""


@pytest.mark.parametrize("skill", ["refuse_later", "fail_later"])
async def test_a_running_call_is_refused(skill: str) -> None:
    made = PlainAgent()
    async with plain_server(made.agent) as server, called(server) as connection:
        await connection.send(call("quick"))
        await connection.response()
        await connection.send(call(skill))
        while not server.server.server_state.tasks:  # it runs for some turns only
            await asyncio.sleep(0)
        (protocol,) = server.server.server_state.connections
        protocol.shutdown()
        response = await connection.answer()
        assert response.startswith(b"HTTP/1.1 200 ")
        assert response.count(CLOSES) == 1
        assert b'"error"' in response


@pytest.mark.parametrize("has_front", [True, False])
async def test_a_call_that_takes_too_long_is_cancelled(*, has_front: bool) -> None:
    made = PlainAgent()
    async with (
        plain_server(made.agent, has_front=has_front) as server,
        called(server) as connection,
    ):
        server.server.config.timeout_graceful_shutdown = 0
        await connection.send(call("slow"))
        await run_until(partial(made.is_waiting, 1))
        server.server.should_exit = True
        response = await connection.answer()
        assert response.startswith(b"HTTP/1.1 500 ")
        assert CLOSES in response
        assert (made.ended, made.ran.total()) == (1, 0)


async def test_what_waits_behind_a_running_call_is_not_begun() -> None:
    """Its caller sees that the connection was closed, and repeats it elsewhere."""
    made = PlainAgent()
    async with plain_server(made.agent) as server, called(server) as connection:
        await connection.send(call("slow"))
        await run_until(partial(made.is_waiting, 1))
        await connection.send(call("quick"))
        await turns()
        server.server.should_exit = True
        await run_until(lambda: not server.server.servers[0].sockets)
        await turns()
        made.go.set()
        assert (await connection.answer()).count(b"HTTP/1.1 ") == 1
        assert made.ran == {"slow": 1}
