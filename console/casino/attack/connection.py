"""Bare TCP connections, for requests that no HTTP client would send."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

from casino.errors import NoAnswer

ATTACKER = "127.0.0.2"
"""An address of this machine, beside the one that its health checks come from."""
_OPEN_S = 5.0
_LOST = (OSError, asyncio.IncompleteReadError)


class Address(NamedTuple):
    """Where a server listens, and the local address that connections come from.

    Linux gives a process any address of 127.0.0.0/8; None leaves the choice to the system.
    `heard` is called with all received bytes.
    """

    port: int
    source: str | None = ATTACKER
    host: str = "127.0.0.1"
    heard: Callable[[bytes], None] = lambda _bytes: None


class Connection:
    """One TCP connection; what is lost or refused counts as its end."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        heard: Callable[[bytes], None] = lambda _bytes: None,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._heard = heard

    async def send(self, data: bytes, timeout_s: float | None = None) -> bool:
        """Send bytes; return whether the peer read them in time and has not closed."""
        if self._writer.is_closing():
            return False
        try:
            self._writer.write(data)
            async with asyncio.timeout(timeout_s):
                await self._writer.drain()
        except OSError:  # a TimeoutError too
            return False
        return not (self._reader.at_eof() or self._writer.is_closing())

    async def next_bytes(self) -> bytes:
        """Return the next bytes, b"" if the connection ended."""
        try:
            data = await self._reader.read(65_536)
        except OSError:
            return b""
        self._heard(data)
        return data

    async def hear(self, timeout_s: float) -> bytes | None:
        """Return the next bytes, b"" if the connection ended, None on a timeout."""
        try:
            async with asyncio.timeout(timeout_s):
                return await self.next_bytes()
        except TimeoutError:
            return None

    async def answer(self) -> bytes:
        """Return all bytes until the peer closes the connection."""
        read = b""
        while data := await self.next_bytes():
            read += data
        return read

    async def is_open_after(self, seconds: float) -> bool:
        """Read for a time; return whether the peer has not closed the connection meanwhile."""
        try:
            async with asyncio.timeout(seconds):
                await self.answer()
        except TimeoutError:
            return True
        return False

    async def head(self) -> bytes:
        """Return the head of a response; raises IncompleteReadError if the connection ends."""
        return await self._reader.readuntil(b"\r\n\r\n")

    async def response(self, *, has_body: bool = True) -> bytes:
        """Return one response that says its length; raises IncompleteReadError."""
        head = await self.head()
        (length,) = (
            int(line.split(b":")[1])
            for line in head.lower().split(b"\r\n")
            if line.startswith(b"content-length:")
        )
        return head + (await self._reader.readexactly(length) if has_body else b"")


@asynccontextmanager
async def connected(address: Address, *, read_ahead: int = 2**16) -> AsyncIterator[Connection]:
    """Yield a connection, aborted at the end; up to `read_ahead` bytes are read in advance.

    Raises NoAnswer.
    """
    local = (address.source, 0) if address.source else None
    try:
        async with asyncio.timeout(_OPEN_S):
            reader, writer = await asyncio.open_connection(
                address.host, address.port, local_addr=local, limit=read_ahead
            )
    except OSError as error:
        raise NoAnswer(f"no connection: {type(error).__name__}") from error
    try:
        yield Connection(reader, writer, address.heard)
    finally:
        writer.transport.abort()
        with suppress(*_LOST):
            await writer.wait_closed()


def head(line: str = "GET /healthz", *fields: str) -> bytes:
    """Return the head of a request; guards take a bare address as its host."""
    lines = (f"{line} HTTP/1.1", "Host: 127.0.0.1", *fields, "", "")
    return "\r\n".join(lines).encode()


def status(answer: bytes) -> int:
    """Return an answer's status, 0 if there was none."""
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0
