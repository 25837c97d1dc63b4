"""One HTTP connection, byte by byte: whether it is kept, and when head and body arrive."""

import asyncio
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from casino_agentkit.tls.context import client_context

_PORTS: Final = {"http": 80, "https": 443}
_END: Final = b"\r\n\r\n"


@dataclass(frozen=True)
class RawReply:
    """The times of one reply, and what its head says of the connection."""

    head: bytes
    waited_s: float
    """From the request to the head."""
    gap_s: float
    """From the head to the end of the body."""

    @property
    def says_close(self) -> bool:
        """Whether the head announces that the connection is closed."""
        head = self.head.lower()
        return b"connection: close" in head or head.startswith(b"http/1.0")


async def replies_on_one_connection(
    url: str,
    headers: Mapping[str, str],
    body: bytes,
    times: int,
    within_s: float,
    tls: ssl.SSLContext | None = None,
) -> list[RawReply]:
    """Send a request several times over one connection; returns the replies that came.

    Fewer come if the connection is closed. Raises OSError, TimeoutError.
    """
    parts = urlsplit(url)
    port = parts.port or _PORTS[parts.scheme]
    context = (tls or client_context()) if parts.scheme == "https" else None
    request = _request(url, headers, body)
    replies: list[RawReply] = []
    async with asyncio.timeout(within_s):
        reader, writer = await asyncio.open_connection(parts.hostname, port, ssl=context)
        try:
            for _ in range(times):
                begun = time.perf_counter()
                writer.write(request)
                head = await reader.readuntil(_END)
                seen = time.perf_counter()
                await _read_body(reader, head)
                replies.append(RawReply(head, seen - begun, time.perf_counter() - seen))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # closed: the replies so far are the answer
        finally:
            writer.close()
    return replies


def _request(url: str, headers: Mapping[str, str], body: bytes) -> bytes:
    parts = urlsplit(url)
    path = parts.path or "/"
    target = f"{path}?{parts.query}" if parts.query else path
    fields = {"Host": parts.netloc, **headers, "Content-Length": str(len(body))}
    lines = [f"POST {target} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join(lines).encode() + _END + body


async def _read_body(reader: asyncio.StreamReader, head: bytes) -> None:
    lines = (line.partition(b":") for line in head.split(b"\r\n")[1:])
    fields = {name.strip().lower(): value.strip() for name, _, value in lines}
    if fields.get(b"transfer-encoding", b"").lower() == b"chunked":
        while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
            await reader.readexactly(size + 2)
        await reader.readuntil(b"\r\n")
    elif b"content-length" in fields:
        await reader.readexactly(int(fields[b"content-length"]))
    else:
        await reader.read(-1)
