"""Sending the bytes of a case over a real socket, and reading what comes back."""

import asyncio
import socket
import struct
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from fuzz.http_cases import Case
from support.processes import PATIENCE_S

_STREAM_S, _MORE_S = 0.4, 0.1
_NO_BODY = frozenset({204, 304})
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


class _NoHttp(Exception):
    """What came is no response."""


class Line:
    """A connection to one server, kept for the next case where both sides keep it."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def exchange(self, case: Case) -> Exchange:
        """Send a case, and read what its manner asks for."""
        if case.manner != "call" or self._writer is None or self._writer.is_closing():
            await self.close()
            await self._open()
        found = Exchange()
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self._converse(case, found)
        except TimeoutError:
            found.is_late = True
        except (ConnectionError, asyncio.IncompleteReadError):
            found.is_closed = True
        except (_NoHttp, ValueError) as error:
            found.wrong = str(error) or "no HTTP"
        if found.is_closed or found.is_late or found.wrong or case.manner != "call":
            await self.close()
        return found

    async def close(self) -> None:
        """Go away at once, leaving nothing behind on this machine."""
        if self._writer is not None:
            writer, self._writer, self._reader = self._writer, None, None
            sock: socket.socket | None = writer.get_extra_info("socket")
            with suppress(OSError):  # closed already
                if sock is not None:
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
            writer.transport.abort()
            with suppress(OSError):
                await writer.wait_closed()

    async def _open(self) -> None:
        self._reader, self._writer = await asyncio.open_connection(
            "127.0.0.1", self._port, limit=2**20
        )

    async def _converse(self, case: Case, found: Exchange) -> None:
        assert self._reader is not None
        assert self._writer is not None
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
        except (TimeoutError, ConnectionError, asyncio.IncompleteReadError):
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
        assert self._reader is not None
        while True:
            try:
                head = await self._reader.readuntil(b"\r\n\r\n")
            except asyncio.IncompleteReadError as error:
                if error.partial and case.manner != "raw":
                    raise _NoHttp(f"an answer without an end: {error.partial[:200]!r}") from error
                return None
            except ConnectionError:
                return None
            status, headers = _read_head(head)
            if status >= 200:
                break
        if case.method == "HEAD" or status in _NO_BODY:
            return Response(status, headers, b"")
        if headers.get("content-type", "").startswith("text/event-stream"):
            body, is_whole = await self._stream(case, headers)
            return Response(status, headers, body, is_whole)
        return Response(status, headers, await self._body(headers))

    async def _body(self, headers: dict[str, str]) -> bytes:
        assert self._reader is not None
        if "content-length" in headers:
            return await self._reader.readexactly(int(headers["content-length"]))
        if headers.get("transfer-encoding") != "chunked":
            return await self._reader.read()  # to the end of the connection
        body = b""
        while True:
            chunk = await self._chunk()
            if not chunk:
                return body
            body += chunk

    async def _chunk(self) -> bytes:
        assert self._reader is not None
        size = int(await self._reader.readuntil(b"\r\n"), 16)
        return (await self._reader.readexactly(size + 2))[:-2]

    async def _stream(self, case: Case, headers: dict[str, str]) -> tuple[bytes, bool]:
        """Return a stream's body to its end, or what comes of it in a moment."""
        body = b""
        try:
            async with asyncio.timeout(None if case.manner == "call" else _STREAM_S):
                if headers.get("transfer-encoding") != "chunked":
                    raise _NoHttp("a stream that is not chunked")
                while chunk := await self._chunk():
                    body += chunk
        except TimeoutError:
            return body, False
        except (ConnectionError, asyncio.IncompleteReadError) as error:
            raise _NoHttp(f"a stream that breaks off behind {body[-500:]!r}") from error
        return body, True


def _read_head(head: bytes) -> tuple[int, dict[str, str]]:
    lines = head[:-4].split(b"\r\n")
    if not lines[0].startswith(b"HTTP/1.1 "):
        raise _NoHttp(f"{lines[0][:200]!r} is no status line")
    headers: dict[str, str] = {}
    for line in lines[1:]:
        name, colon, value = line.partition(b":")
        if not colon or not name:
            raise _NoHttp(f"{line[:200]!r} is no header")
        headers[name.decode("latin-1").lower()] = value.strip().decode("latin-1")
    return int(lines[0].split(b" ", 2)[1]), headers
