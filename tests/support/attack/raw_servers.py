"""Two servers on raw sockets: an internal service, and an agent with any card."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

SECRET = b'{"password": "hunter2"}'


@asynccontextmanager
async def internal_service() -> AsyncIterator[tuple[int, list[bytes]]]:
    """Run a service that only this machine should reach; yields its port and what it was asked."""
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            asked.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + SECRET)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1], asked
    server.close()


@asynccontextmanager
async def agent(
    content: Any = None, *, redirect: str | None = None, status: str = "200 OK"
) -> AsyncIterator[tuple[str, list[str]]]:
    """Run an agent that answers JSON, or that redirects; yields its origin and what it is asked.

    `content` returns the JSON for its origin, and for whether the card is asked for; whatever else
    is asked is answered with `status`.
    """
    origin: list[str] = []
    asked: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                asked.append(head.decode("latin-1"))
                length = re.search(rb"content-length: (\d+)", head.lower())
                await reader.readexactly(int(length[1]) if length else 0)
                is_card = head.startswith(b"GET")
                if redirect is not None:
                    line, body, more = "307 Moved", b"", f"Location: {redirect}\r\n"
                else:
                    body = json.dumps(content(origin[0], is_card)).encode()
                    line, more = "200 OK" if is_card else status, ""
                line = f"HTTP/1.1 {line}\r\n{more}Content-Length: {len(body)}\r\n\r\n"
                writer.write(line.encode() + body)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    origin.append(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    yield origin[0], asked
    server.close()
