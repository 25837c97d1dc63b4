"""Attacks on a server's connections, each of which ends and returns its success.

A source is the attacker's address: Linux gives a process any of 127.0.0.0/8.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

ATTACKER = "127.0.0.2"
_CLOSED = (ConnectionError, asyncio.IncompleteReadError)


class Target(NamedTuple):
    """Port of a server, and the address that attacks it."""

    port: int
    source: str = ATTACKER


class Connection:
    """One connection with raw bytes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, data: bytes) -> bool:
        """Send; tells whether the other side took the bytes."""
        try:
            self._writer.write(data)
            await self._writer.drain()
        except _CLOSED:
            return False
        return not self._reader.at_eof()

    async def is_open_after(self, seconds: float) -> bool:
        """Wait; tells whether the other side has not closed meanwhile."""
        try:
            async with asyncio.timeout(seconds):
                with suppress(*_CLOSED):
                    while await self._reader.read(65_536):
                        pass
        except TimeoutError:
            return True
        return False

    async def answer(self) -> bytes:
        """Return all bytes until the other side closes."""
        read = b""
        with suppress(*_CLOSED):
            while data := await self._reader.read(65_536):
                read += data
        return read

    async def some(self) -> bytes:
        """Return the next bytes; none at the end."""
        return await self._reader.read(65_536)

    async def head(self) -> bytes:
        """Return the head of a response."""
        return await self._reader.readuntil(b"\r\n\r\n")

    async def response(self, *, has_body: bool = True) -> bytes:
        """Return one response that says its length."""
        head = await self.head()
        (length,) = (
            int(line.split(b":")[1])
            for line in head.lower().split(b"\r\n")
            if line.startswith(b"content-length:")
        )
        return head + (await self._reader.readexactly(length) if has_body else b"")


@asynccontextmanager
async def connected(target: Target, *, read_ahead: int = 2**16) -> AsyncIterator[Connection]:
    """Connect, and close at the end; `read_ahead` bytes are read before they are requested."""
    reader, writer = await asyncio.open_connection(
        "127.0.0.1", target.port, local_addr=(target.source, 0), limit=read_ahead
    )
    try:
        yield Connection(reader, writer)
    finally:
        writer.transport.abort()
        with suppress(*_CLOSED):
            await writer.wait_closed()


def head(line: str = "GET /quick", *fields: str) -> bytes:
    """Return the head of a request."""
    lines = (f"{line} HTTP/1.1", "Host: 127.0.0.1", *fields, "", "")
    return "\r\n".join(lines).encode()


def status(answer: bytes) -> int:
    """Return an answer's status; 0 where there was none."""
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0


# What is never finished.

_POST = head("POST /quick", "Transfer-Encoding: chunked")
DRIPS: Mapping[str, tuple[bytes, bytes]] = {
    "head": (b"GET /quick HTTP/1.1\r\nX: ", b"a"),
    "line breaks": (b"", b"\r\n"),
    "line breaks after an answer": (head(), b"\r\n"),  # where an idle timer runs
    "body": (head("POST /quick", "Content-Length: 9999"), b"a"),
    "chunks": (_POST, b"1\r\na\r\n"),
}
"""How each begins, and what is sent repeatedly then."""


async def hold_silent(target: Target, seconds: float) -> bool:
    """Connect and send nothing."""
    async with connected(target) as connection:
        return await connection.is_open_after(seconds)


async def hold_after_answer(target: Target, seconds: float) -> bool:
    """Send one request, then nothing more."""
    async with connected(target) as connection:
        await connection.send(head())
        await connection.response()
        return await connection.is_open_after(seconds)


async def drip(target: Target, what: str, seconds: float) -> bool:
    """Send something endless, a few bytes at a time."""
    begin, drop = DRIPS[what]
    async with connected(target) as connection:
        await connection.send(begin)
        end = asyncio.get_running_loop().time() + seconds
        while asyncio.get_running_loop().time() < end:  # virtual: the attack
            if not await connection.send(drop) or not await connection.is_open_after(0.05):
                return False
        return True


# What is too large.

FLOODS: Mapping[str, tuple[bytes, bytes]] = {
    "headers": (b"GET /quick HTTP/1.1\r\n", b"a:b\r\n" * 8_000),
    "one header": (b"GET /quick HTTP/1.1\r\nX: ", b"a" * 40_000),
    "URL": (b"GET /", b"a" * 40_000),
    "trailers": (_POST + b"1\r\na\r\n0\r\n", b"a:b\r\n" * 8_000),
    "chunk extension": (_POST + b"1;x=", b"a" * 40_000),
    "requests behind a slow one": (head("GET /slow"), b"GET /quick HTTP/1.1\r\n\r\n" * 400),
}
"""How each begins, and what is sent repeatedly then."""


async def flood(target: Target, what: str, size: int) -> bool:
    """Send until so many bytes are taken; tells whether they were."""
    begin, piece = FLOODS[what]
    async with connected(target) as connection:
        if not await connection.send(begin):
            return False
        for _ in range(0, size, len(piece)):
            if not await connection.send(piece):
                return False
        return await connection.is_open_after(0.3)


async def large_head(target: Target, *fields: str) -> bool:
    """Send a whole head with these fields at once; tells whether it was answered."""
    async with connected(target) as connection:
        await connection.send(head("GET /quick", *fields))
        return status(await connection.response()) == 200


# What is never read.


async def never_read(target: Target, seconds: float) -> bool:
    """Request a large answer and read nothing for a while; tells whether all was kept."""
    async with connected(target, read_ahead=1024) as connection:
        await connection.send(head("GET /big"))
        await asyncio.sleep(seconds)  # virtual: the attack
        try:
            await connection.response()
        except _CLOSED:
            return False
        return True


# Too many.


async def hold_many(target: Target, count: int, seconds: float = 0.5) -> int:
    """Open so many connections at once; returns how many the server keeps for a while."""
    opening = [
        asyncio.create_task(
            asyncio.open_connection("127.0.0.1", target.port, local_addr=(target.source, 0))
        )
        for _ in range(count)
    ]
    try:
        await asyncio.wait(opening)
        kept = await asyncio.gather(
            *(
                Connection(*task.result()).is_open_after(seconds)
                for task in opening
                if not task.exception()
            )
        )
    finally:  # also when it is cancelled while some are still being opened
        for task in opening:
            task.cancel()
        for outcome in await asyncio.gather(*opening, return_exceptions=True):
            if not isinstance(outcome, BaseException):
                outcome[1].transport.abort()
    return sum(kept)
