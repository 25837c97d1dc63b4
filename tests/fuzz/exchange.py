"""Sending the bytes of a case over a real socket, and reading what comes back."""

import asyncio
import socket
import struct
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

import h11
from fuzz.http_cases import Case
from support.processes import PATIENCE_S

_STREAM_S, _MORE_S = 0.4, 0.1
_AT_ONCE = struct.pack("ii", 1, 0)


class Response(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes
    is_whole: bool = True

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


@dataclass
class Exchange:
    """What came back for a case."""

    responses: list[Response] = field(default_factory=list)
    is_closed: bool = False
    """The server closed the connection."""
    is_late: bool = False
    """Neither an answer nor an end came in time."""
    wrong: str = ""
    """What came is no HTTP."""


class Line:
    """A connection to one server, kept for the next case where both sides keep it."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._left = b""
        """What has come behind the last response."""

    async def exchange(self, case: Case) -> Exchange:
        """Send a case, and read what its manner asks for."""
        if case.manner != "call" or self._writer is None or self._writer.is_closing():
            await self.close()
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        found = Exchange()
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self._converse(case, found)
        except TimeoutError:
            found.is_late = True
        except ConnectionError:
            found.is_closed = True
        except h11.RemoteProtocolError as error:
            found.wrong = str(error)
        if found.is_closed or found.is_late or found.wrong or case.manner != "call":
            await self.close()
        return found

    async def close(self) -> None:
        """Go away at once, leaving nothing behind on this machine."""
        if self._writer is not None:
            writer, self._writer, self._reader, self._left = self._writer, None, None, b""
            sock: socket.socket | None = writer.get_extra_info("socket")
            with suppress(OSError):  # closed already
                if sock is not None:
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
            writer.transport.abort()
            with suppress(OSError):
                await writer.wait_closed()

    async def _converse(self, case: Case, found: Exchange) -> None:
        sending = asyncio.ensure_future(self._send(case.pieces))
        try:
            if case.manner == "dropped":
                await sending
                return
            while (reply := await self._next(case, found)) is not None:
                found.responses.append(reply)
                if reply.headers.get("connection", "").lower() == "close" or not reply.is_whole:
                    found.is_closed = True
                    return
                if case.manner != "raw":
                    await sending
                    return
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    async def _next(self, case: Case, found: Exchange) -> Response | None:
        """Return the next response; None where there is none, or none but the first ones."""
        if not found.responses:
            reply = await self._response(case)
            found.is_closed = reply is None
            return reply
        try:
            async with asyncio.timeout(_MORE_S):  # pipelined ones
                return await self._response(case)
        except (TimeoutError, ConnectionError):
            return None

    async def _send(self, pieces: Sequence[bytes]) -> None:
        assert self._writer is not None
        for piece in pieces:
            self._writer.write(piece)
            try:
                await self._writer.drain()
            except ConnectionError:
                return
            if len(pieces) > 1:
                await asyncio.sleep(0)  # lets the server read what was sent

    async def _response(self, case: Case) -> Response | None:
        """Return the next response that is no interim one; None at the end."""
        http = h11.Connection(h11.CLIENT, max_incomplete_event_size=2**20)
        method = "HEAD" if case.method == "HEAD" else "GET"
        http.send(h11.Request(method=method, target="/", headers=[("Host", "here")]))
        http.send(h11.EndOfMessage())
        if self._left:
            http.receive_data(self._left)
        while not isinstance(event := http.next_event(), h11.Response):
            if event is h11.NEED_DATA and not await self._receive(http, case):
                return None
        headers = {name.decode(): value.decode("latin-1") for name, value in event.headers}
        reply, body = Response(event.status_code, headers, b""), bytearray()
        is_endless = reply.media_type == "text/event-stream" and case.manner != "call"
        try:
            async with asyncio.timeout(_STREAM_S if is_endless else None):
                while not isinstance(part := http.next_event(), h11.EndOfMessage):
                    if isinstance(part, h11.Data):
                        body += part.data
                    else:
                        assert self._reader is not None
                        http.receive_data(await self._reader.read(65_536))
        except TimeoutError:
            return reply._replace(body=bytes(body), is_whole=False)
        self._left = http.trailing_data[0]
        return reply._replace(body=bytes(body))

    async def _receive(self, http: h11.Connection, case: Case) -> bool:
        """Read more of a head; tells whether a response may still come."""
        assert self._reader is not None
        try:
            data = await self._reader.read(65_536)
        except ConnectionError:
            data = b""
        has_begun = bool(http.trailing_data[0]) and case.manner != "raw"
        if data or has_begun:
            http.receive_data(data)
        return bool(data) or has_begun
