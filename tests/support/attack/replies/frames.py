"""Bytes of HTTP replies, well framed or in pieces."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from support.envelopes import Call

Attack = Callable[[asyncio.StreamReader, asyncio.StreamWriter, Call], Awaitable[None]]
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
FOLD: dict[str, Any] = {"action": "fold"}
MEGABYTE = 2**20


def http(body: bytes, status: bytes = b"200 OK", *headers: bytes) -> bytes:
    """Return a whole HTTP reply."""
    lines = [b"HTTP/1.1 " + status, b"Content-Length: %d" % len(body), *headers]
    return b"\r\n".join([*lines, b"", body])


def dumps(value: Any) -> bytes:
    """Return JSON."""
    return json.dumps(value).encode()


async def written(writer: asyncio.StreamWriter, piece: bytes) -> None:
    """Send bytes; raises ConnectionError where the other side has gone."""
    if writer.is_closing():
        raise ConnectionResetError
    writer.write(piece)
    await writer.drain()


def nested(depth: int, opening: bytes = b"[", closing: bytes = b"]") -> bytes:
    """Return JSON of so many levels."""
    return opening * depth + (b"1" if opening.endswith(b":") else b"") + closing * depth
