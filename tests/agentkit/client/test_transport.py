"""HTTP over real sockets: each way of failing raises its own error."""

import asyncio
import socket
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from casino_agentkit import AgentError, HttpTransport, ProtocolFault, TimedOut, Unreachable

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
Listen = Callable[[Serve], Awaitable[str]]


@pytest.fixture
async def listen() -> AsyncIterator[Listen]:
    servers: list[asyncio.Server] = []

    async def start(serve: Serve) -> str:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await reader.readuntil(b"\r\n\r\n")
                await serve(reader, writer)
            except (ConnectionError, asyncio.IncompleteReadError):
                pass
            finally:
                writer.close()

        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        servers.append(server)
        return f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"

    yield start
    for server in servers:
        server.close()


@pytest.fixture
async def transport() -> AsyncIterator[HttpTransport]:
    transport = HttpTransport()
    yield transport
    await transport.close()


def replies(*chunks: bytes) -> Serve:
    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for chunk in chunks:
            writer.write(chunk)
            await writer.drain()

    return serve


async def stall(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(HEAD + b"Content-Length: 9\r\n\r\nabc")
    await hang(reader, writer)


async def hang(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(30)


HEAD = b"HTTP/1.1 200 OK\r\n"
MEGABYTE = b"x" * 2**20
CHUNK = b"100000\r\n" + MEGABYTE + b"\r\n"
BOMB = zlib.compress(b"\0" * 100 * 2**20, 9)


@pytest.mark.parametrize(
    ("serve", "kind"),
    [
        (replies(), Unreachable),
        (replies(HEAD + b"Content-Length: 10\r\n\r\nabc"), Unreachable),
        (replies(b"SSH-2.0-OpenSSH\r\n\r\n"), ProtocolFault),
        (replies(HEAD + b"Content-Length: 99999999\r\n\r\n"), ProtocolFault),
        (replies(HEAD + b"Connection: close\r\n\r\n", *[MEGABYTE] * 10), ProtocolFault),
        (
            replies(
                HEAD + b"Transfer-Encoding: chunked\r\n\r\n",
                *[CHUNK] * 10,
            ),
            ProtocolFault,
        ),
        (replies(HEAD + b"X: " + b"y" * 100_000 + b"\r\n\r\n"), ProtocolFault),
        (replies(HEAD + b"Content-Encoding: deflate\r\n\r\n", BOMB), ProtocolFault),
        (hang, TimedOut),
        (stall, TimedOut),
    ],
)
async def test_each_fault_has_its_error(
    listen: Listen, transport: HttpTransport, serve: Serve, kind: type[AgentError]
) -> None:
    """Connections that are closed, cut off, silent or no HTTP, and replies that are too large."""
    url = await listen(serve)
    with pytest.raises(kind):
        await transport.send("POST", url, {}, b"{}", 0.5)


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("http://127.0.0.1:{free}/", Unreachable),
        ("http://no-such-host.invalid/", Unreachable),
        ("http://[::1/", ProtocolFault),
        ("ftp://127.0.0.1/", ProtocolFault),
        ("http://127.0.0.1:99999/", ProtocolFault),
        ("nothing", ProtocolFault),
    ],
)
async def test_bad_addresses_are_refused(
    transport: HttpTransport, url: str, kind: type[AgentError]
) -> None:
    """No listener, an unknown host, and text that is no URL."""
    with socket.socket() as bound:  # not listening
        bound.bind(("127.0.0.1", 0))
        url = url.format(free=bound.getsockname()[1])
        with pytest.raises(kind) as error:
            await transport.send("GET", url, {}, b"", 2)
    assert error.value.agent == url
    assert error.value.__cause__ is not None


async def test_a_deadline_that_has_passed_sends_nothing(transport: HttpTransport) -> None:
    with pytest.raises(TimedOut, match="before the call was sent"):
        await transport.send("GET", "http://127.0.0.1:1/", {}, b"", 0)
