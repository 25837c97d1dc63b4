"""Frames of a stream of server-sent events, as the lobby writes them."""

from collections.abc import AsyncIterable, AsyncIterator
from dataclasses import dataclass

from casino_seats.errors import LobbyUnavailable

FRAME_LIMIT = 16 * 1024 * 1024
"""A snapshot has up to 200 events of at most 64 KiB."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One event of a stream."""

    name: str
    data: bytes


async def frames(chunks: AsyncIterable[bytes], limit: int = FRAME_LIMIT) -> AsyncIterator[Frame]:
    """Yield the frames of a stream that is cut anywhere; raises LobbyUnavailable."""
    rest = bytearray()
    name, data = "", b""
    size = 0
    async for chunk in chunks:
        rest += chunk
        size += len(chunk)
        if size > limit:
            raise LobbyUnavailable(f"the stream has a frame of more than {limit} bytes")
        if b"\n" not in chunk:
            continue
        *lines, tail = bytes(rest).split(b"\n")
        rest = bytearray(tail)
        for line in lines:
            if not line:
                if data:
                    yield Frame(name, data)
                name, data = "", b""
                size = len(tail)
            elif line.startswith(b"event:"):
                name = line[6:].strip().decode(errors="replace")
            elif line.startswith(b"data:"):
                data = line[5:].strip()
