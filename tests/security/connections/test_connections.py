"""Connections to a server: what honest clients may do, and how many each may hold."""

import asyncio
from datetime import timedelta

from casino_agentkit.server.limits import ServerLimits
from support.attack.connection_attacks import Target, connected, head, status
from support.attack.replies.frames import MEGABYTE
from support.attack.sample_server import (
    BIG,
    LIMITS,
    SOON,
    TICK_S,
    UNHURRIED,
    SampleServer,
    closed_within,
    sample_server,
)


class TestHonest:
    """What a client may do under the limits."""

    async def test_a_head_and_a_body_at_the_limits_are_taken(self) -> None:
        """A head of 32 KiB, a hundred headers, a megabyte in one-byte chunks."""
        async with sample_server(UNHURRIED) as (_, target), connected(target) as connection:
            await connection.send(head("GET /quick", "X: " + "a" * 32_000))
            assert status(await connection.response()) == 200
            await connection.send(head("GET /quick", *["a: b"] * 100))
            assert status(await connection.response()) == 200
            await connection.send(head("POST /quick", "Transfer-Encoding: chunked"))
            await connection.send(b"1\r\na\r\n" * MEGABYTE + b"0\r\n\r\n")
            assert (await connection.response()).endswith(str(MEGABYTE).encode())

    async def test_each_part_of_a_request_has_its_own_time(self) -> None:
        """Three requests in four pieces each, on one connection."""
        limits = ServerLimits(head=timedelta(seconds=2), body=timedelta(seconds=2))
        async with sample_server(limits) as (_, target), connected(target) as connection:
            request = head("POST /quick", "Content-Length: 6") + b"abcdef"
            for _ in range(3):
                for piece in (request[:10], request[10:-5], request[-5:-2], request[-2:]):
                    await connection.send(piece)
                    await asyncio.sleep(0.3)
                assert (await connection.response()).endswith(b"6")

    async def test_an_answer_may_take_longer_than_any_limit(self) -> None:
        """A superfluous line break after the request does no harm."""
        async with sample_server(LIMITS) as (made, target), connected(target) as connection:
            await connection.send(head("POST /slow", "Content-Length: 2") + b"ok")
            await connection.send(b"\r\n")
            assert await connection.is_open_after(1)
            made.go.set()
            assert status(await closed_within(connection)) == 200

    async def test_a_stream_that_is_read_is_not_cut(self) -> None:
        """It outlasts every limit."""
        async with sample_server(LIMITS) as (_, target), connected(target) as connection:
            await connection.send(head("GET /stream"))
            assert await connection.is_open_after(1)

    async def test_a_request_behind_a_long_answer_waits_with_it(self) -> None:
        """No timer runs for half a request while the server does not read."""
        async with sample_server(LIMITS) as (made, target), connected(target) as connection:
            await connection.send(head("GET /slow"))
            await connection.send(head("POST /quick", "Content-Length: 4") + b"ha")
            assert await connection.is_open_after(1)
            made.go.set()
            await connection.send(b"lf")
            answers = (await closed_within(connection)).split(b"HTTP/1.1 200")
            assert [answer[-1:] for answer in answers[1:]] == [b"t", b"4"]

    async def test_a_large_answer_may_be_read_slowly(self) -> None:
        """As long as something of it is read."""
        limits = ServerLimits(unread=SOON)
        async with (
            sample_server(limits) as (_, target),
            connected(target, read_ahead=2**20) as connection,
        ):
            await connection.send(head("GET /big"))
            assert len(await asyncio.wait_for(connection.response(), 30)) > BIG

    async def test_a_websocket_request_is_answered_as_http(self) -> None:
        """Its connection is counted like any other."""
        async with sample_server(LIMITS) as (made, target), connected(target) as connection:
            upgrade = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13")
            await connection.send(head("GET /quick", *upgrade, "Sec-WebSocket-Key: eA=="))
            assert status(await closed_within(connection)) == 200
            while "agent_connections 0.0" not in made.metrics():
                await asyncio.sleep(0.01)


class TestStreams:
    """A stream ends with its connection."""

    @staticmethod
    async def leak(made: SampleServer, target: Target, ticks: int) -> bool:
        """Send a request behind a stream's and disconnect; tells whether the stream lives on."""
        async with connected(target) as connection:
            await connection.send(head("GET /stream") + head("GET /quick"))
            while not made.streams:
                await asyncio.sleep(0.01)
        try:
            async with asyncio.timeout(ticks * TICK_S):
                while made.streams:
                    await asyncio.sleep(0.01)
        except TimeoutError:
            return True
        return False

    async def test_a_request_behind_a_stream_keeps_it_alive_without_limits(self) -> None:
        """The server reports the disconnect to its newest request only."""
        async with sample_server(None) as (made, target):
            assert await self.leak(made, target, ticks=3)

    async def test_a_request_behind_a_stream_does_not_keep_it_alive(self) -> None:
        """The stream's place is free again."""
        async with sample_server(UNHURRIED) as (made, target):
            assert not await self.leak(made, target, ticks=30)
