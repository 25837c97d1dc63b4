"""A small HTTP/1.1 server for the attacker's own agents."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import NamedTuple

_MAX_HEAD, _MAX_BODY = 64 * 1024, 1024 * 1024
_READ_TIMEOUT_S = 30.0


class Request(NamedTuple):
    """An HTTP request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Response(NamedTuple):
    """An HTTP response."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    location: str = ""


Handler = Callable[[Request], Awaitable[Response]]


class Listener:
    """Listens on a free port of `host` and passes each request to `handler`."""

    def __init__(self, host: str, handler: Handler) -> None:
        self._host = host
        self._handler = handler
        self._server: asyncio.Server | None = None
        self._serving: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._is_stopped = False

    async def start(self) -> None:
        """Start listening."""
        self._server = await asyncio.start_server(self._accept, self._host, 0, limit=_MAX_HEAD)

    @property
    def url(self) -> str:
        """Base URL of the server."""
        assert self._server is not None  # noqa: S101  it was started
        port = self._server.sockets[0].getsockname()[1]
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{port}"

    async def stop(self) -> None:
        """Stop listening, close all connections and wait until they are closed."""
        if self._server is None:
            return
        self._is_stopped = True
        self._server.close()
        for writer in self._serving.values():
            writer.transport.abort()
        if self._serving:
            await asyncio.wait(self._serving)
        await self._server.wait_closed()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a new connection in its own task, which `stop` awaits."""
        if self._is_stopped:
            writer.transport.abort()
            return
        task = asyncio.create_task(self._serve(reader, writer))
        self._serving[task] = writer
        task.add_done_callback(self._serving.pop)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _read(reader)) is not None:
                response = await self._handler(request)
                if writer.is_closing():
                    break
                writer.write(_encoded(response))
                await writer.drain()
        except (OSError, ValueError, TimeoutError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.transport.abort()
            with suppress(OSError):
                await writer.wait_closed()


async def _read(reader: asyncio.StreamReader) -> Request | None:
    async with asyncio.timeout(_READ_TIMEOUT_S):
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, _version = first.split(" ", 2)
        fields = (line.partition(":") for line in lines if line)
        headers = {name.strip().lower(): value.strip() for name, _, value in fields}
        length = min(int(headers.get("content-length", "0")), _MAX_BODY)
        return Request(method, path, headers, await reader.readexactly(length))


def _encoded(response: Response) -> bytes:
    location = f"location: {response.location}\r\n" if response.location else ""
    head = (
        f"HTTP/1.1 {response.status} OK\r\ncontent-type: {response.content_type}\r\n"
        f"{location}content-length: {len(response.body)}\r\n\r\n"
    )
    return head.encode() + response.body
