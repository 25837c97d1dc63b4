"""One connection of the lean client: a known head is read by its bytes, any other by aiohttp."""

import asyncio
from typing import Final, Protocol

from aiohttp import ServerDisconnectedError, StreamReader
from multidict import CIMultiDictProxy

from casino_agentkit.client.connector import BoundedHandler
from casino_agentkit.client.outgoing import Origin

_REMEMBERED: Final = 512  # heads that are remembered; all are forgotten when there are more
_MOST_BYTES: Final = 1_024  # the longest head that is remembered
_OK: Final = 200
_UNUSUAL: Final = frozenset({"content-encoding", "transfer-encoding", "location", "retry-after"})
"""Headers of replies whose heads are not remembered."""


class ReplyHead(Protocol):
    """Status and headers of a reply, as aiohttp's parser gives them."""

    @property
    def code(self) -> int: ...

    @property
    def headers(self) -> CIMultiDictProxy[str]: ...

    @property
    def should_close(self) -> bool: ...


class KnownReplies:
    """Heads of plain replies, each read by aiohttp's parser before, and its body's length."""

    def __init__(self) -> None:
        self._lengths: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._lengths)

    def body_in(self, data: bytes) -> slice | None:
        """Return where the body after a known head is, maybe beyond the data; None without one."""
        end = data.find(b"\r\n\r\n")
        length = self._lengths.get(data[:end]) if end > 0 else None
        return None if length is None else slice(end + 4, end + 4 + length)

    def learn(self, first: bytes, size: int, message: ReplyHead, length: int) -> None:
        """Remember the head of a reply that was read, if it is plain and nothing else came with it.

        `first` are the first bytes that were read, `size` is the number of all bytes, `length` that
        of the body.
        """
        end = first.find(b"\r\n\r\n")
        head = first[:end]
        if (
            not 0 < end <= _MOST_BYTES
            or not head.startswith(b"HTTP/1.1 200")  # not an informational one before it
            or head.count(b"\n") != head.count(b"\r\n")  # the parser's head ends here, too
            or message.should_close
            or message.headers.get("Content-Length") != str(length)
            or size != end + 4 + length
            or any(name.lower() in _UNUSUAL for name in message.headers)
        ):
            return
        if len(self._lengths) >= _REMEMBERED:
            self._lengths.clear()
        self._lengths[head] = length


class Pool(Protocol):
    """Where a connection belongs."""

    def lose(self, connection: "LeanConnection") -> None: ...


class LeanConnection(BoundedHandler):
    """A connection that has one request at a time."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        head_limit: int,
        replies: KnownReplies,
        pool: Pool,
        origin: Origin,
    ) -> None:
        super().__init__(loop, head_limit)
        self.origin = origin
        self._replies = replies
        self._pool = pool
        self._reply: asyncio.Future[bytes | bytearray | None] | None = None
        self._first = b""  # the first data of a reply that aiohttp reads
        self._early: bytes | None = b""
        """What the server sends before the first request; None after that request."""
        self._held: bytearray | None = None  # a reply with a known head, as far as it has arrived
        self._body = slice(0)  # where its body will be
        self.has_received = False  # whether a byte of the reply has arrived
        self.is_reusable = True  # whether the reply leaves the connection open for the next request
        self.ends_at = 0.0  # the deadline of its request, in seconds of the loop
        self.idle_since = 0.0  # when it had its last reply, in seconds of the loop

    @property
    def is_open(self) -> bool:
        return self.transport is not None and not self.transport.is_closing()

    def exchange(self, request: bytes) -> "asyncio.Future[bytes | bytearray | None]":
        """Send a request; the result is the body of a plain reply.

        None: the reply is not plain, and `message` returns it.
        Raises ServerDisconnectedError if the connection is closed already.
        """
        early, self._early = self._early, None
        transport = self.transport
        if transport is not None and not transport.is_closing():
            transport.write(request)
        elif not early:
            raise ServerDisconnectedError
        self._reply = reply = self._loop.create_future()
        self.has_received = False
        if early:
            self.data_received(early)
        return reply

    async def message(self) -> tuple[ReplyHead, StreamReader]:
        """Return a reply that is not plain, without informational responses before it."""
        while True:
            message: ReplyHead
            message, content = await self.read()
            if not 100 <= message.code < _OK or message.code == 101:  # noqa: PLR2004  of HTTP
                return message, content

    def finish(self, message: ReplyHead, body: bytes | bytearray) -> None:
        """Remember the head of a reply that was read, and be ready for the next request."""
        self.is_reusable = not self.should_close
        if self.is_reusable:
            self._replies.learn(self._first, self._received, message, len(body))
        self._first = b""
        self._parser = self._payload = None

    def expire(self) -> None:
        if self._reply is not None and not self._reply.done():
            self._reply.set_exception(TimeoutError())

    def data_received(self, data: bytes) -> None:
        reply = self._reply
        if reply is None:
            self._parse(data)
        elif reply.done():  # late, or cancelled
            self.abort()
        elif self._held is not None:
            self._complete(reply, self._held, data)
        else:
            self.has_received = True
            body = self._replies.body_in(data)
            if body is None or body.stop < len(data):
                self._begin(reply, data)
            elif body.stop == len(data):
                self._reply = None
                reply.set_result(data[body])
            else:
                self._held, self._body = bytearray(data), body

    def connection_lost(self, exc: BaseException | None) -> None:
        reply = self._reply
        if self._held is not None and reply is not None and not reply.done():
            self._begin(reply, bytes(self._held))
        super().connection_lost(exc)
        self._pool.lose(self)
        reply, self._reply = self._reply, None
        if reply is not None and not reply.done():
            reply.set_exception(self.exception() or ConnectionResetError())
            reply.exception()  # marks it as retrieved, in case nobody waits

    def _complete(
        self, reply: "asyncio.Future[bytes | bytearray | None]", held: bytearray, data: bytes
    ) -> None:
        """Take more of a reply with a known head; the parser reads one that is too long."""
        missing = self._body.stop - len(held) - len(data)
        if missing < 0:
            self._begin(reply, bytes(held))
            self._parse(data)
            return
        held += data
        if missing == 0:
            self._reply = self._held = None
            del held[: self._body.start]  # in place: a long body is not copied
            reply.set_result(held)

    def _begin(self, reply: "asyncio.Future[bytes | bytearray | None]", data: bytes) -> None:
        self._reply = self._held = None
        reply.set_result(None)
        self._first = data
        self.set_response_params(read_until_eof=True, auto_decompress=False)
        self._parse(data)

    def _parse(self, data: bytes) -> None:
        """Without data aiohttp goes on with what it has. Nothing may come before a request."""
        if self._parser is not None or self.upgraded or not data:
            if data and self._payload is not None and self._payload.is_eof():
                self.force_close()  # there is more than the reply
            super().data_received(data)
        elif self._early is not None and len(self._early) + len(data) <= self._head_limit:
            self._early += data
        else:
            self.abort()
