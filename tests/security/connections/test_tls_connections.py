"""With TLS, a handshake has a time limit and counts as a connection.

Each attack runs twice: where the event loop has the TLS, and where our listener has it.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path

import aiohttp
import pytest
from casino.attack.attack_traffic import AttackAddress, connected, head, status
from casino.attack.resource_attacks import hold_many
from casino_agentkit.server.server_limits import ServerLimits
from casino_agentkit.tls import client_context, server_context
from support.attack.sample_server import SampleServer, sample_server
from support.certificates import Authority
from support.processes import run_until

SOON = timedelta(milliseconds=300)
HELD_S = 1.8
"""Six times what a handshake may take."""
LIMITS = ServerLimits(first_byte=SOON, head=SOON, per_address=8, connections=20)
BIG = 60_000


class Place:
    """A service behind TLS, and clients that trust it."""

    def __init__(self, sample: SampleServer, port: int, trusting: ssl.SSLContext) -> None:
        self.metrics, self.port, self.trusting = sample.metrics, port, trusting

    @asynccontextmanager
    async def caller(self) -> AsyncIterator[aiohttp.ClientSession]:
        connector = aiohttp.TCPConnector(ssl=self.trusting)
        url = f"https://localhost:{self.port}"
        async with aiohttp.ClientSession(url, connector=connector) as session:
            yield session


@asynccontextmanager
async def place(directory: Path, limits: ServerLimits | None) -> AsyncIterator[Place]:
    authority = Authority(directory)
    context = server_context(*authority.give("place"))
    async with sample_server(limits, context) as (sample, target):
        yield Place(sample, target.port, client_context(authority.root))


def hello() -> bytes:
    """Return the first message of a client's handshake."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="localhost")
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


async def hold_handshake(port: int, begin: bytes) -> bool:
    """Begin a handshake and send no more; tells whether the connection stays open."""
    async with connected(AttackAddress(port)) as connection:
        await connection.send(begin)
        return await connection.is_open_after(HELD_S)


async def is_past_the_cap(port: int) -> bool:
    """Open more connections than one address may have, and leave their handshakes unfinished."""
    return (
        await hold_many(AttackAddress(port), 3 * LIMITS.per_address, seconds=0.1)
        > LIMITS.per_address
    )


BEGINNINGS = {"silence": b"", "a byte": hello()[:1], "half a hello": hello()[:-9], "hello": hello()}


class TestHandshake:
    @pytest.mark.parametrize("begin", BEGINNINGS.values(), ids=BEGINNINGS)
    async def test_only_the_listener_ends_an_unfinished_handshake(
        self, tmp_path: Path, begin: bytes
    ) -> None:
        """After the time limit of a first byte; it is counted."""
        async with place(tmp_path, None) as made:
            assert await hold_handshake(made.port, begin)
        async with place(tmp_path, LIMITS) as made:
            assert not await hold_handshake(made.port, begin)
            assert 'agent_connections_cut_total{reason="handshake"} 1.0' in made.metrics()
            assert "agent_connections 0.0" in made.metrics()

    async def test_only_with_the_listener_handshakes_count_as_connections(
        self, tmp_path: Path
    ) -> None:
        async with place(tmp_path, None) as made:
            assert await is_past_the_cap(made.port)
        async with place(tmp_path, LIMITS) as made:
            assert not await is_past_the_cap(made.port)
            async with made.caller() as http, http.get("/quick") as reply:  # of another address
                assert reply.status == 200

    async def test_unfinished_handshakes_do_not_delay_the_shutdown(self, tmp_path: Path) -> None:
        async with AsyncExitStack() as stack:
            limit = asyncio.ensure_future(asyncio.sleep(60))
            async with place(tmp_path, ServerLimits(first_byte=timedelta(seconds=60))) as made:
                held = await stack.enter_async_context(connected(AttackAddress(made.port)))
                await run_until(lambda: "agent_connections 1.0" in made.metrics())
            assert await held.answer() == b""
            assert not limit.done()
            limit.cancel()


class TestOtherWords:
    @pytest.mark.parametrize("words", [head(), b"\x00" * 100, b"\x16\x03\x01" + b"\xff" * 99])
    async def test_other_bytes_end_the_connection_at_once(
        self, tmp_path: Path, words: bytes
    ) -> None:
        unhurried = ServerLimits(first_byte=timedelta(seconds=60))
        async with (
            place(tmp_path, unhurried) as made,
            connected(AttackAddress(made.port)) as connection,
        ):
            await connection.send(words)
            assert b"HTTP" not in await connection.answer()


class TestService:
    async def test_requests_are_answered(self, tmp_path: Path) -> None:
        async with place(tmp_path, LIMITS) as made, made.caller() as http:
            for size in (0, 1, BIG, 7):
                async with http.post("/quick", data=b"x" * size) as reply:
                    assert await reply.text() == f"https 127.0.0.1 {size}"
            assert "agent_connections 1.0" in made.metrics()

    async def test_a_request_in_the_last_packet_of_the_handshake_is_answered(
        self, tmp_path: Path
    ) -> None:
        async with place(tmp_path, LIMITS) as made:
            incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            client = made.trusting.wrap_bio(incoming, outgoing, server_hostname="localhost")
            reader, writer = await asyncio.open_connection("127.0.0.1", made.port)
            with pytest.raises(ssl.SSLWantReadError):
                client.do_handshake()
            writer.write(outgoing.read())
            while True:
                incoming.write(await reader.read(65_536))
                try:
                    client.do_handshake()
                except ssl.SSLWantReadError:
                    continue
                break
            client.write(head())
            writer.write(outgoing.read())
            answer = b""
            while not answer:
                incoming.write(await reader.read(65_536))
                try:
                    answer = client.read()
                except ssl.SSLWantReadError:  # session tickets come first
                    continue
            assert status(answer) == 200
            writer.close()

    async def test_a_stream_is_not_buffered(self, tmp_path: Path) -> None:
        async with (
            place(tmp_path, LIMITS) as made,
            made.caller() as http,
            http.get("/stream") as reply,
        ):
            for _ in range(20):
                assert await reply.content.readline() == b": tick\n"
                await reply.content.readline()

    async def test_a_silent_connection_after_its_handshake_is_ended(self, tmp_path: Path) -> None:
        """By the same time limit as without TLS."""
        async with place(tmp_path, LIMITS) as made:
            reader, writer = await asyncio.open_connection(
                "localhost", made.port, ssl=made.trusting
            )
            assert await reader.read() == b""
            writer.close()
            assert 'agent_connections_cut_total{reason="silent"} 1.0' in made.metrics()
