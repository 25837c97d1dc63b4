"""A small HTTP/1.1 server of the attacker's own, for agents that the casino may call."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

_MOST_HEAD, _MOST_BODY = 64 * 1024, 1024 * 1024
_PATIENCE_S = 30.0


class Request(NamedTuple):
    """What came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Response(NamedTuple):
    """What goes back."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    location: str = ""


Handler = Callable[[Request], Awaitable[Response]]


class Listener:
    """Listens on a free port of `host` and answers by `handler`."""

    def __init__(self, host: str, handler: Handler) -> None:
        self._host = host
        self._handler = handler
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    async def start(self) -> None:
        """Listen."""
        self._server = await asyncio.start_server(self._serve, self._host, 0, limit=_MOST_HEAD)

    @property
    def url(self) -> str:
        """Where it listens."""
        assert self._server is not None  # noqa: S101  it was started
        port = self._server.sockets[0].getsockname()[1]
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{port}"

    async def stop(self) -> None:
        """Close everything."""
        if self._server is not None:
            self._server.close()
            for writer in list(self._open):
                writer.transport.abort()
            await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            while (request := await _read(reader)) is not None:
                response = await self._handler(request)
                writer.write(_written(response))
                await writer.drain()
        except (OSError, ValueError, TimeoutError, asyncio.IncompleteReadError):
            pass
        finally:
            self._open.discard(writer)
            writer.transport.abort()


async def _read(reader: asyncio.StreamReader) -> Request | None:
    async with asyncio.timeout(_PATIENCE_S):
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, _version = first.split(" ", 2)
        fields = (line.partition(":") for line in lines if line)
        headers = {name.strip().lower(): value.strip() for name, _, value in fields}
        length = min(int(headers.get("content-length", "0")), _MOST_BODY)
        return Request(method, path, headers, await reader.readexactly(length))


def _written(response: Response) -> bytes:
    location = f"location: {response.location}\r\n" if response.location else ""
    head = (
        f"HTTP/1.1 {response.status} OK\r\ncontent-type: {response.content_type}\r\n"
        f"{location}content-length: {len(response.body)}\r\n\r\n"
    )
    return head.encode() + response.body
