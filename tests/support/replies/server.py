"""A server in the test's loop that answers each path with the bytes of one reply."""

import asyncio
import socket
import struct
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from typing import Final, Literal

from support.processes import PATIENCE_S

End = Literal["close", "reset"]
Piece = bytes | End
"""What the server does next: it sends bytes, or ends the connection."""
Reply = Sequence[Piece]
"""A reply, piece by piece: the client has read each before the next is sent."""
Replies = Reply | Callable[[int], Reply]
"""The reply to a path, or what returns it for the number of the request: 1 for the first."""

_TURNS: Final = 4
"""Turns of the loop in which a client reads what was sent: data on loopback has arrived at once."""
_AT_ONCE: Final = struct.pack("ii", 1, 0)


async def turns(count: int = _TURNS) -> None:
    """Let everything that has arrived be read."""
    for _ in range(count):
        await asyncio.sleep(0)


class ReplyServer:
    """Answers requests by their path, and counts them."""

    def __init__(self, replies: Mapping[str, Replies]) -> None:
        self.replies = dict(replies)
        self.requests: Counter[str] = Counter()
        """How often each path was asked for."""
        self.heads: list[bytes] = []
        self.connections = 0
        self.url = ""
        self._changed = asyncio.Condition()
        self._writers: set[asyncio.StreamWriter] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        self.connections += 1
        self._writers.add(writer)
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                await reader.readexactly(_length(head))
                self.heads.append(head)
                path = head.split(b" ", 2)[1].decode()
                self.requests[path] += 1
                await self._tell()
                reply = self.replies[path]
                if callable(reply):
                    reply = reply(self.requests[path])
                await self._answer(writer, reply)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            self._writers.remove(writer)
            await self._tell()

    @property
    def open(self) -> int:
        """Connections that are open now."""
        return len(self._writers)

    def close_all(self) -> None:
        """Close every connection, as a server does with idle ones."""
        for writer in self._writers:
            writer.close()

    async def all_gone(self) -> None:
        """Wait until no connection is open, and its client has learned of it."""
        await self.until(lambda: not self.open)
        await turns()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition holds that requests and connections decide."""
        async with asyncio.timeout(PATIENCE_S), self._changed:
            await self._changed.wait_for(condition)

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    @staticmethod
    async def _answer(writer: asyncio.StreamWriter, reply: Reply) -> None:
        for piece in reply:
            if piece == "reset":
                connection: socket.socket = writer.get_extra_info("socket")
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
                writer.transport.abort()
                raise ConnectionError
            if piece == "close":
                raise ConnectionError
            assert isinstance(piece, bytes)
            writer.write(piece)
            await writer.drain()
            await turns()


@asynccontextmanager
async def reply_server(replies: Mapping[str, Replies]) -> AsyncIterator[ReplyServer]:
    """Run a server; its URL has no path."""
    made = ReplyServer(replies)
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0, limit=2**21)
    made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield made
    finally:
        server.close()
        await made.all_gone()


@contextmanager
def nobody_listens(*hosts: str) -> Iterator[int]:
    """Keep a port of this machine's addresses on which connections are refused."""
    with ExitStack() as stack:
        port = 0
        for host in hosts:
            taken = stack.enter_context(socket.socket())
            taken.bind((host, port))
            port = taken.getsockname()[1]
        yield port


def _length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.partition(b":")[2])
    return 0
