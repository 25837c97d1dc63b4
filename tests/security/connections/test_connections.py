"""What one client can do to a server's connections: nothing is held, and nothing is kept, for long.

Every attack is a function of `support.attack.connection_attacks` that says whether it succeeded.
Each runs twice: against a server without limits, where it succeeds, and against one with limits.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial

import pytest
from casino_agentkit import Service
from casino_agentkit.server.client_network import network_of
from casino_agentkit.server.connections import Connections
from casino_agentkit.server.limits import ServerLimits
from prometheus_client import generate_latest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from support.attack import connection_attacks as attacks
from support.attack.connection_attacks import Target, connected, head, status
from support.listening import listening
from support.players.sample_agent import SampleAgent

SOON = timedelta(milliseconds=200)
HELD_S = 1.2
"""Six times what any limit below allows."""
LIMITS = ServerLimits(
    first_byte=SOON, head=SOON, body=SOON, idle=SOON, unread=SOON, per_address=8, connections=20
)
UNHURRIED = ServerLimits()
TICK_S = 0.75
"""Between two pieces of a stream; of the fifth write to a lost connection asyncio would warn."""
MEGABYTE = 1024 * 1024
BIG = 24 * MEGABYTE

Attack = Callable[[Target], Awaitable[bool]]

NEVER_FINISHED: Mapping[str, Attack] = {
    "silent": partial(attacks.hold_silent, seconds=HELD_S),
    "silent after an answer": partial(attacks.hold_after_answer, seconds=HELD_S),
    "slow head": partial(attacks.drip_head, seconds=HELD_S),
    "line breaks": partial(attacks.drip_line_breaks, seconds=HELD_S),
    "line breaks after an answer": partial(attacks.drip_line_breaks_after_answer, seconds=HELD_S),
    "slow body": partial(attacks.drip_body, seconds=HELD_S),
    "slow chunks": partial(attacks.drip_chunks, seconds=HELD_S),
    "never read": partial(attacks.never_read, seconds=HELD_S),
}
TOO_LARGE: Mapping[str, Attack] = {
    "headers": partial(attacks.flood_headers, size=4 * MEGABYTE),
    "one header": partial(attacks.flood_one_header, size=4 * MEGABYTE),
    "URL": partial(attacks.flood_url, size=4 * MEGABYTE),
    "trailers": partial(attacks.flood_trailers, size=4 * MEGABYTE),
    "chunk extension": partial(attacks.flood_chunk_extension, size=20 * MEGABYTE),
    "a whole head": partial(attacks.large_head, size=40_000),
    "short headers": partial(attacks.many_headers, count=200),
    "pipelined requests": partial(attacks.flood_pipeline, size=MEGABYTE // 8),
}


class Place:
    """A service with what a server may have to answer."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.streams = 0
        routes = [
            Route("/quick", self.quick, methods=["GET", "POST"]),
            Route("/slow", self.slow, methods=["GET", "POST"]),
            Route("/big", self.big),
            Route("/stream", self.stream),
        ]
        self.service = Service({"": SampleAgent().agent}, routes=routes)

    async def quick(self, request: Request) -> Response:
        """Say how much was sent."""
        return PlainTextResponse(str(len(await request.body())))

    async def slow(self, _request: Request) -> Response:
        """Answer when the test says so."""
        await self.go.wait()
        return PlainTextResponse("at last")

    async def big(self, _request: Request) -> Response:
        """Answer much."""
        return PlainTextResponse("x" * BIG)

    async def stream(self, _request: Request) -> Response:
        """Answer without end."""
        return StreamingResponse(self._ticks(), media_type="text/event-stream")

    async def _ticks(self) -> AsyncIterator[bytes]:
        self.streams += 1
        try:
            while True:
                yield b": tick\n\n"
                await asyncio.sleep(TICK_S)
        finally:
            self.streams -= 1

    def metrics(self) -> str:
        """Return what the process counts."""
        return generate_latest(self.service.registry).decode()


@asynccontextmanager
async def place(limits: ServerLimits | None) -> AsyncIterator[tuple[Place, Target]]:
    """Serve a place."""
    made = Place()
    async with listening(made.service, limits) as port:
        yield made, Target(port)


async def closed_within(connection: attacks.Connection, seconds: float = 10) -> bytes:
    """Return what is answered until the server closes."""
    async with asyncio.timeout(seconds):
        return await connection.answer()


class TestWithoutEnd:
    """What is not finished is ended."""

    @pytest.mark.parametrize("name", NEVER_FINISHED)
    async def test_it_holds_a_connection_without_limits(self, name: str) -> None:
        """So the attack is one."""
        async with place(None) as (_, target):
            assert await NEVER_FINISHED[name](target)

    @pytest.mark.parametrize("name", NEVER_FINISHED)
    async def test_it_is_cut_off(self, name: str) -> None:
        """By the clock of what it leaves unfinished."""
        async with place(LIMITS) as (_, target):
            assert not await NEVER_FINISHED[name](target)

    @pytest.mark.parametrize(
        "begin",
        [
            b"GET /quick HT",
            head("POST /quick", "Content-Length: 9") + b"half",
            head("POST /quick", "Transfer-Encoding: chunked") + b"1\r\na\r\n",
        ],
    )
    async def test_who_began_is_told_why(self, begin: bytes) -> None:
        """408, and the connection ends."""
        async with place(LIMITS) as (_, target), connected(target) as connection:
            await connection.send(begin)
            answer = await closed_within(connection)
            assert status(answer) == 408
            assert b"connection: close" in answer
            assert b"took too long" in answer

    async def test_who_said_nothing_is_told_nothing(self) -> None:
        """A browser that connected beforehand would take an answer for that of its next request."""
        async with place(LIMITS) as (_, target), connected(target) as connection:
            assert await closed_within(connection) == b""


class TestTooLarge:
    """What is too large is not read."""

    @pytest.mark.parametrize("name", TOO_LARGE)
    async def test_it_is_taken_without_limits(self, name: str) -> None:
        """So the attack is one."""
        async with place(None) as (_, target):
            assert await TOO_LARGE[name](target)

    @pytest.mark.parametrize("name", TOO_LARGE)
    async def test_it_is_refused(self, name: str) -> None:
        """Whatever time it takes."""
        async with place(UNHURRIED) as (_, target):
            assert not await TOO_LARGE[name](target)

    @pytest.mark.parametrize(
        ("sent", "expected"),
        [
            (b"GET / HTTP/1.1\r\n" + b"a:b\r\n" * 200, 431),
            (b"GET /" + b"a" * 33_000, 431),
            (b"GET / HTTP/1.1\r\nX: " + b"a" * 33_000, 431),
            (head("GET /quick", "X: " + "a" * 33_000), 431),
            (head("GET /quick", *["a: b"] * 129), 431),
            (
                head("POST /quick", "Transfer-Encoding: chunked")
                + b"1\r\na\r\n0\r\n"
                + b"a:b\r\n" * 200,
                431,
            ),
            (b"no HTTP at all\r\n\r\n", 400),
        ],
    )
    async def test_it_is_told(self, sent: bytes, expected: int) -> None:
        """And the connection ends."""
        async with place(UNHURRIED) as (_, target), connected(target) as connection:
            await connection.send(sent)
            assert status(await closed_within(connection)) == expected

    async def test_behind_another_request_it_is_no_smaller(self) -> None:
        """Read in one piece with it (then neither is answered), or in two."""
        large = head("GET /quick", "X: " + "a" * 33_000)
        for pieces in ([head() + large], [head() + large[:9_000], large[9_000:]]):
            async with place(UNHURRIED) as (_, target), connected(target) as connection:
                for piece in pieces:
                    await connection.send(piece)
                    await asyncio.sleep(0.05)
                assert (await closed_within(connection)).count(b"HTTP/1.1 200") < len(pieces)


class TestHonest:
    """What a client may do."""

    async def test_a_head_and_a_body_at_the_limits(self) -> None:
        """A head of 32 KiB, a hundred headers, a megabyte in one-byte chunks."""
        async with place(UNHURRIED) as (_, target), connected(target) as connection:
            await connection.send(head("GET /quick", "X: " + "a" * 32_000))
            assert status(await connection.response()) == 200
            await connection.send(head("GET /quick", *["a: b"] * 100))
            assert status(await connection.response()) == 200
            await connection.send(head("POST /quick", "Transfer-Encoding: chunked"))
            await connection.send(b"1\r\na\r\n" * MEGABYTE + b"0\r\n\r\n")
            assert (await connection.response()).endswith(str(MEGABYTE).encode())

    async def test_a_request_in_pieces(self) -> None:
        """Each part has a time of its own, and none is counted twice."""
        limits = ServerLimits(head=timedelta(seconds=1), body=timedelta(seconds=1))
        async with place(limits) as (_, target), connected(target) as connection:
            request = head("POST /quick", "Content-Length: 6") + b"abcdef"
            for _ in range(3):
                for piece in (request[:10], request[10:-5], request[-5:-2], request[-2:]):
                    await connection.send(piece)
                    await asyncio.sleep(0.3)
                assert (await connection.response()).endswith(b"6")

    async def test_an_answer_may_take_longer_than_any_limit(self) -> None:
        """A player thinks, a lobby waits for a sign-up; a line break too many costs nothing."""
        async with place(LIMITS) as (made, target), connected(target) as connection:
            await connection.send(head("POST /slow", "Content-Length: 2") + b"ok")
            await connection.send(b"\r\n")
            assert await connection.is_open_after(1)
            made.go.set()
            assert status(await closed_within(connection)) == 200

    async def test_a_stream_lasts(self) -> None:
        """It is cut by nothing while it is read."""
        async with place(LIMITS) as (_, target), connected(target) as connection:
            await connection.send(head("GET /stream"))
            assert await connection.is_open_after(1)

    async def test_a_request_behind_a_long_answer_waits_with_it(self) -> None:
        """Even half of one: the server reads no further, so its clock stands."""
        async with place(LIMITS) as (made, target), connected(target) as connection:
            await connection.send(head("GET /slow"))
            await connection.send(head("POST /quick", "Content-Length: 4") + b"ha")
            assert await connection.is_open_after(1)
            made.go.set()
            await connection.send(b"lf")
            answers = (await closed_within(connection)).split(b"HTTP/1.1 200")
            assert [answer[-1:] for answer in answers[1:]] == [b"t", b"4"]

    async def test_a_large_answer_is_read_at_its_own_pace(self) -> None:
        """As long as something of it is read."""
        limits = ServerLimits(unread=SOON)
        async with place(limits) as (_, target), connected(target, read_ahead=2**20) as connection:
            await connection.send(head("GET /big"))
            assert len(await asyncio.wait_for(connection.response(), 30)) > BIG

    async def test_a_request_for_a_websocket_is_none(self) -> None:
        """It is answered as HTTP, and its connection is counted like any other."""
        async with place(LIMITS) as (made, target), connected(target) as connection:
            upgrade = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13")
            await connection.send(head("GET /quick", *upgrade, "Sec-WebSocket-Key: eA=="))
            assert status(await closed_within(connection)) == 200
            async with asyncio.timeout(5):
                while "agent_connections 0.0" not in made.metrics():
                    await asyncio.sleep(0.01)


class TestStreams:
    """A stream ends with its connection."""

    @staticmethod
    async def leak(made: Place, target: Target) -> bool:
        """Send a request behind a stream's, and go away; tells whether the stream lives on."""
        async with connected(target) as connection:
            await connection.send(head("GET /stream") + head("GET /quick"))
            async with asyncio.timeout(5):
                while not made.streams:
                    await asyncio.sleep(0.01)
        try:
            async with asyncio.timeout(3 * TICK_S):
                while made.streams:
                    await asyncio.sleep(0.01)
        except TimeoutError:
            return True
        return False

    async def test_a_request_behind_it_keeps_it_alive_without_limits(self) -> None:
        """The server tells only the newest request that its client has gone."""
        async with place(None) as (made, target):
            assert await self.leak(made, target)

    async def test_a_request_behind_it_does_not_keep_it_alive(self) -> None:
        """Else a place for streams would be lost for ever."""
        async with place(UNHURRIED) as (made, target):
            assert not await self.leak(made, target)


class TestCaps:
    """How many connections there may be."""

    async def test_without_limits_one_address_has_them_all(self) -> None:
        """So the attack is one."""
        async with place(None) as (_, target):
            assert await attacks.hold_many(target, 30) == 30

    async def test_one_address_has_its_share_and_others_are_answered(self) -> None:
        """At once, while it holds all that it may."""
        limits = ServerLimits(per_address=8)
        async with place(limits) as (made, target):
            holding = asyncio.ensure_future(attacks.hold_many(target, 30, seconds=2))
            async with asyncio.timeout(10):
                while "agent_connections 8.0" not in made.metrics():
                    await asyncio.sleep(0.01)
            async with connected(target) as refused:
                answer = await closed_within(refused)
            async with connected(Target(target.port, "127.0.0.3")) as other:
                await other.send(head("GET /readyz"))
                assert status(await asyncio.wait_for(other.response(), 1)) == 200
            assert await holding == 8
            assert (status(answer), b"retry-after: 5" in answer) == (503, True)
            assert 'agent_connections_refused_total{cap="address"} 23.0' in made.metrics()
            async with connected(target) as again:  # a place that is free is given again
                await again.send(head())
                assert status(await again.response()) == 200

    async def test_many_addresses_leave_this_machine_its_health_check(self) -> None:
        """Though they hold all connections together."""
        limits = ServerLimits(per_address=8, connections=20)
        async with place(limits) as (made, target):
            holding = [
                asyncio.ensure_future(attacks.hold_many(Target(target.port, f"127.0.0.{n}"), 9, 2))
                for n in range(2, 6)
            ]
            async with asyncio.timeout(10):
                while "agent_connections 20.0" not in made.metrics():
                    await asyncio.sleep(0.01)
            async with connected(Target(target.port, "127.0.0.9")) as refused:
                assert status(await closed_within(refused)) == 503
            async with connected(Target(target.port, "127.0.0.1")) as health:
                await health.send(head("GET /readyz"))
                assert status(await asyncio.wait_for(health.response(), 1)) == 200
            assert sum(await asyncio.gather(*holding)) == 20


class TestNumbers:
    """The rules behind the caps."""

    def test_an_address_is_a_network_where_it_is_free_to_choose(self) -> None:
        """In IPv6; and an IPv4 address is one in whatever notation."""
        assert network_of("2001:db8::1") == network_of("2001:db8::ffff:1")
        assert network_of("2001:db8:0:1::1") != network_of("2001:db8::1")
        assert network_of("::ffff:192.0.2.1") == network_of("192.0.2.1")
        assert network_of("unix") == "unix"

    @pytest.mark.parametrize(("descriptors", "backlog"), [(64, 8), (256, 32), (1024, 128)])
    def test_few_descriptors_mean_few_connections(self, descriptors: int, backlog: int) -> None:
        """What the system queues, files, outgoing calls and health checks still fit beside them."""
        limits = ServerLimits().within(descriptors)
        assert limits.backlog == backlog
        assert limits.per_address <= limits.connections // 4
        if descriptors > 64:
            beside = descriptors - limits.connections - limits.for_health - limits.backlog
            assert beside >= 64

    def test_many_descriptors_change_nothing(self) -> None:
        """The defaults are the most."""
        assert ServerLimits().within(65_536) == ServerLimits()

    def test_everybody_of_this_machine_shares_the_larger_part(self) -> None:
        """On a laptop and behind a proxy all have one address."""
        counts = Connections(ServerLimits(per_address=2, connections=8), lambda: 0.0)
        assert [counts.enter("127.0.0.1") for _ in range(7)] == [True] * 6 + [False]
        assert [counts.enter("192.0.2.1") for _ in range(3)] == [True, True, False]
        assert not counts.enter("192.0.2.2")
        counts.leave("127.0.0.1")
        assert counts.enter("192.0.2.2")
        assert counts.enter(network_of("::1"))  # beyond them all

    def test_refusals_leave_nothing_behind(self) -> None:
        """However many addresses there are."""
        counts = Connections(ServerLimits(connections=1), lambda: 0.0)
        assert counts.enter("192.0.2.0")
        for number in range(10_000):
            assert not counts.enter(f"a{number}")
        assert len(counts._open) == 1
