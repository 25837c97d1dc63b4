"""One connection: what it takes for a reply, what it remembers, and what ends it."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import ServerDisconnectedError
from casino_agentkit.client.http.client_connection import KnownReplies, LeanConnection
from casino_agentkit.client.outgoing import Origin
from support.processes import PATIENCE_S
from support.replies.framing import PLAIN, with_headers
from support.replies.server import turns

HEAD_LIMIT = 16_384
REQUEST = b"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n"
HEAD = PLAIN[: -len(b"hello")]


class Lost:
    """A pool that notes which connections are lost."""

    def __init__(self) -> None:
        self.connections: list[LeanConnection] = []

    def lose(self, connection: LeanConnection) -> None:
        self.connections.append(connection)


class Wire:
    """A connection, and the other end of its socket."""

    def __init__(
        self, connection: LeanConnection, known: KnownReplies, peer: socket.socket
    ) -> None:
        self.connection = connection
        self.known = known
        self.peer = peer

    async def reply(self, *pieces: bytes) -> tuple[int, bytes | bytearray]:
        """Send a request, then a reply in pieces; returns what is read."""
        waiting = self.connection.exchange(REQUEST)
        assert self.peer.recv(1_000) == REQUEST
        for piece in pieces:
            self.peer.sendall(piece)
            await turns()
        return await self.result(waiting)

    async def result(
        self, waiting: "asyncio.Future[bytes | bytearray | None]"
    ) -> tuple[int, bytes | bytearray]:
        """Return status and body of a reply that has arrived."""
        body = await waiting
        if body is not None:
            return 200, body
        message, content = await self.connection.message()
        read = await content.read()
        self.connection.finish(message, read)
        return message.code, read


@asynccontextmanager
async def wired(*early: bytes, closes: bool = False) -> AsyncIterator[Wire]:
    """Connect; `early` is sent before anything is asked, and `closes` ends the other side then."""
    ours, peer = socket.socketpair()
    ours.setblocking(False)
    peer.settimeout(
        PATIENCE_S
    )  # a request that is not written fails the test, and does not stop it
    for piece in early:
        peer.sendall(piece)
    if closes:
        peer.close()
    loop, known, lost = asyncio.get_running_loop(), KnownReplies(), Lost()
    origin = Origin("http", "127.0.0.1", 80)
    _, connection = await loop.create_connection(
        lambda: LeanConnection(loop, HEAD_LIMIT, known, lost, origin), sock=ours
    )
    await turns()
    try:
        yield Wire(connection, known, peer)
    finally:
        closed = connection.closed
        connection.abort()
        peer.close()
        if closed is not None:
            await closed
    assert lost.connections == [connection]


class TestKnownHeads:
    async def test_it_is_read_without_the_parser(self) -> None:
        async with wired() as wire:
            assert await wire.reply(PLAIN) == (200, b"hello")
            assert len(wire.known) == 1
            bytewise = [PLAIN[at : at + 1] for at in range(len(HEAD), len(PLAIN))]
            for pieces in ([PLAIN], [HEAD, b"world"], [HEAD + b"w", b"orld"], [HEAD, *bytewise]):
                waiting = wire.connection.exchange(REQUEST)
                for piece in pieces:
                    wire.peer.sendall(piece)
                    await turns()
                    assert wire.connection._parser is None
                assert await waiting == b"".join(pieces)[len(HEAD) :]

    async def test_one_that_arrives_alone_is_learned_too(self) -> None:
        async with wired() as wire:
            assert await wire.reply(HEAD, b"hello") == (200, b"hello")
            assert len(wire.known) == 1
            assert await wire.reply(HEAD, b"w", b"orld") == (200, b"world")
            assert await wire.reply(PLAIN) == (200, b"hello")

    @pytest.mark.parametrize("length", [0, 1, 200_000])
    async def test_a_body_has_any_length(self, length: int) -> None:
        body = b"x" * length
        reply = with_headers(body=body)
        async with wired() as wire:
            wire.peer.setblocking(False)
            loop = asyncio.get_running_loop()
            for _ in range(3):
                waiting = wire.connection.exchange(REQUEST)
                await loop.sock_sendall(wire.peer, reply)
                assert await wire.result(waiting) == (200, body)

    @pytest.mark.parametrize("at", [1, 2, 3])
    async def test_the_end_of_a_head_is_not_taken_for_a_body(self, at: int) -> None:
        """The body is as long as what would be cut off of the head."""
        head = HEAD.replace(b"Content-Length: 5", b"Content-Length: 44")[:-4]
        assert len(head) == 44 + 2
        reply = head + b"\r\n\r\n" + b"x" * 44
        async with wired() as wire:
            assert await wire.reply(reply) == (200, b"x" * 44)
            assert await wire.reply(reply[: 46 + at], reply[46 + at :]) == (200, b"x" * 44)

    @pytest.mark.parametrize(
        "reply",
        [
            b"HTTP/1.1 200 OK\nContent-Length: 10\n\naaaa\r\n\r\nbb",
            b"HTTP/1.1 200 OK\nContent-Length: 5\r\n\r\nhello",
            with_headers(b"Content-Encoding: identity"),
            with_headers(b"Location: /x"),
            with_headers(b"retry-after: 1"),
            with_headers(status=b"201 C"),
            with_headers(status=b"404 N"),
            with_headers(b"X: " + b"y" * 1_100),
            b"HTTP/1.1 200 OK\r\nContent-Length: 05\r\n\r\nhello",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello",
        ],
    )
    async def test_an_unusual_one_is_not_remembered(self, reply: bytes) -> None:
        async with wired() as wire:
            first = await wire.reply(reply)
            assert not len(wire.known)
            assert await wire.reply(reply) == first

    async def test_they_are_bounded(self) -> None:
        async with wired() as wire:
            for number in range(600):
                await wire.reply(with_headers(b"X: %d" % number))
            assert len(wire.known) == 600 - 512


class TestBeforeTheFirstRequest:
    """A server may refuse a connection before it is asked for anything."""

    REFUSAL = with_headers(status=b"503 Service Unavailable", body=b"too many")

    @pytest.mark.parametrize("closes", [False, True])
    async def test_its_reply_is_taken(self, *, closes: bool) -> None:
        """Also where it has closed the connection already."""
        async with wired(self.REFUSAL, closes=closes) as wire:
            assert await wire.result(wire.connection.exchange(REQUEST)) == (503, b"too many")

    async def test_half_a_reply_is_taken(self) -> None:
        async with wired(self.REFUSAL[:20]) as wire:
            waiting = wire.connection.exchange(REQUEST)
            wire.peer.sendall(self.REFUSAL[20:])
            assert await wire.result(waiting) == (503, b"too many")

    async def test_endless_bytes_are_not(self) -> None:
        """More than a head may have ends the connection."""
        async with wired(b"x" * (HEAD_LIMIT + 1)) as wire:
            with pytest.raises(ServerDisconnectedError):
                wire.connection.exchange(REQUEST)

    async def test_a_connection_that_is_closed_already_sends_nothing(self) -> None:
        """The error is that of a connection that breaks off."""
        async with wired(closes=True) as wire:
            with pytest.raises(ServerDisconnectedError):
                wire.connection.exchange(REQUEST)
