"""Times and sizes of a connection hold for plain calls, too; none of the tests waits."""

from functools import partial

import pytest
from casino.attack.attack_traffic import AttackConnection, status
from casino_agentkit.protocol import INPUT_LIMIT
from support.loops.virtual_loop import loop
from support.plain.agent import PlainAgent
from support.plain.requests import call, data_of, head, with_body
from support.plain.server import PlainServer, called, plain_server
from support.processes import run_until
from support.replies.server import turns

HEAD_S, BODY_S, IDLE_S, FIRST_S = 10, 30, 75, 10
"""Those of `DEFAULT_LIMITS`."""
_CHUNKED = head("Transfer-Encoding: chunked").encode() + b"\r\n"
REQUESTS = {
    "the largest body": (with_body(head(), b"x" * INPUT_LIMIT), 200),  # with a JSON-RPC error
    "a larger body": (with_body(head(), b"x" * (INPUT_LIMIT + 1))[:1_000], 413),
    "a larger body in chunks": (_CHUNKED + b"1\r\nx\r\n" * (INPUT_LIMIT + 1) + b"0\r\n\r\n", 413),
    "a large head": (with_body(head("X: " + "y" * 40_000), b"{}"), 431),
    "many headers": (with_body(head(*["X: y"] * 130), b"{}"), 431),
}
"""Requests that begin as plain calls, and their status."""


async def is_open(server: PlainServer) -> bool:
    await turns(10)
    return bool(server.server.server_state.connections)


async def passed(seconds: float) -> None:
    """Let time pass in steps, so that timers set others."""
    for _ in range(int(seconds * 2)):
        loop().pass_time(0.5)
        await turns(1)


async def answered(connection: AttackConnection, skill: str = "quick") -> None:
    await connection.send(call(skill))
    data_of(await connection.response())


class TestIdle:
    @pytest.mark.parametrize("skill", ["quick", "prompt"])
    async def test_one_that_is_used_stays_and_then_ends(self, skill: str) -> None:
        async with plain_server(PlainAgent().agent) as server, called(server) as connection:
            for _ in range(4):
                await answered(connection, skill)
                await passed(IDLE_S - 1)
                assert await is_open(server)
            await passed(2)
            assert not await is_open(server)
            assert not server.by_application

    @pytest.mark.parametrize("order", ["plain", "application"])
    async def test_calls_of_both_kinds_keep_it(self, order: str) -> None:
        requests = [call("quick"), b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"]
        if order == "application":
            requests.reverse()
        async with plain_server(PlainAgent().agent) as server, called(server) as connection:
            for request in (*requests, *requests):
                await connection.send(request)
                await connection.response()
                await passed(IDLE_S - 1)
                assert await is_open(server)
            await passed(2)
            assert not await is_open(server)

    async def test_a_slow_call_is_no_idle_time(self) -> None:
        made = PlainAgent()
        async with plain_server(made.agent) as server, called(server) as connection:
            await answered(connection)
            await connection.send(call("slow"))
            await run_until(partial(made.is_waiting, 1))
            await passed(2 * IDLE_S)
            assert await is_open(server)
            made.go.set()
            await connection.response()
            await passed(IDLE_S - 1)
            assert await is_open(server)
            await passed(IDLE_S + 1)
            assert not await is_open(server)

    async def test_the_first_call_stops_the_timer_of_the_first_byte(self) -> None:
        """And nothing else does."""
        async with plain_server(PlainAgent().agent) as server:
            async with called(server) as connection:
                await run_until(lambda: bool(server.server.server_state.connections))
                await passed(FIRST_S - 1)
                await answered(connection)
                await passed(FIRST_S + 1)
                assert await is_open(server)
            async with called(server):
                await run_until(lambda: bool(server.server.server_state.connections))
                await passed(FIRST_S + 1)
                assert not await is_open(server)

    async def test_no_timer_is_left_when_it_closes(self) -> None:
        async with plain_server(PlainAgent().agent) as server:
            before = loop().timers
            async with called(server) as connection:
                for skill in ("quick", "prompt", "quick"):
                    await answered(connection, skill)
            assert not await is_open(server)
            assert loop().timers <= before


class TestSlow:
    """Half a request is not waited for longer than before."""

    @pytest.mark.parametrize("before", [0, 1])
    @pytest.mark.parametrize(("sent", "time_s"), [(slice(60), HEAD_S), (slice(-5), BODY_S)])
    async def test_a_head_and_a_body_have_their_time(
        self, sent: slice, time_s: int, before: int
    ) -> None:
        async with plain_server(PlainAgent().agent) as server, called(server) as connection:
            for _ in range(before):
                await answered(connection)
            await connection.send(call("quick")[sent])
            await turns()
            await passed(time_s - 1)
            assert await is_open(server)
            await passed(2)
            assert status(await connection.answer()) == 408

    async def test_line_breaks_are_no_requests(self) -> None:
        async with plain_server(PlainAgent().agent) as server, called(server) as connection:
            await answered(connection)
            for _ in range(HEAD_S - 1):
                await connection.send(b"\r\n")
                await turns()
                await passed(1)
                assert await is_open(server)
            await passed(2)
            assert not await is_open(server)


class TestSizes:
    @pytest.mark.parametrize("what", REQUESTS)
    async def test_a_request_is_refused_as_by_the_application(self, what: str) -> None:
        request, expected = REQUESTS[what]
        for has_front in (True, False):
            async with plain_server(PlainAgent().agent, has_front=has_front) as server:
                assert status(await server.answers([request])) == expected
