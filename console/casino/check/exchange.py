"""Requests and replies as they were sent and came, by the call that caused them."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final

from casino_agentkit import HttpReply, Transport, Unreachable
from casino_agentkit.client.transport import Dialling, Endpoint

_SHOWN: Final = 400


@dataclass
class Sent:
    """One request, and its reply if one came."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes
    reply: HttpReply | None = None
    seconds: float = 0.0


@dataclass
class Exchange:
    """All requests of one call."""

    requests: list[Sent] = field(default_factory=list)

    @property
    def last(self) -> Sent | None:
        """The last request; None if none was sent."""
        return self.requests[-1] if self.requests else None

    @property
    def body(self) -> bytes:
        """The body of the last reply, b"" if none came."""
        reply = self.last.reply if self.last else None
        return bytes(reply.body) if reply else b""

    @property
    def came(self) -> str:
        """The last reply as one line: status and body."""
        reply = self.last.reply if self.last else None
        return f"HTTP {reply.status}: {shown_bytes(bytes(reply.body))}" if reply else "nothing"

    @property
    def sent(self) -> str:
        """The last request as one line."""
        if self.last is None:
            return ""
        line = f"{self.last.method} {self.last.url}"
        return f"{line} {shown_bytes(self.last.body)}" if self.last.body else line


_CURRENT: ContextVar[Exchange | None] = ContextVar("exchange", default=None)


@contextmanager
def recorded() -> Iterator[Exchange]:
    """Record the requests that are sent in this context."""
    exchange = Exchange()
    token = _CURRENT.set(exchange)
    try:
        yield exchange
    finally:
        _CURRENT.reset(token)


class RecordingTransport:
    """A transport that records every request for the call that sends it."""

    def __init__(self, inner: Transport) -> None:
        self.inner = inner

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float
    ) -> HttpReply:
        """Send a request by the inner transport."""
        sent = Sent(method, url, headers, body)
        if (exchange := _CURRENT.get()) is not None:
            exchange.requests.append(sent)
        loop = asyncio.get_running_loop()
        begun = loop.time()
        try:
            sent.reply = await self.inner.send(method, url, headers, body, timeout_s)
        finally:
            sent.seconds = loop.time() - begun
        return sent.reply

    async def check_link(self, source: str, target: str) -> None:
        """Check a link by the inner transport."""
        await self.inner.check_link(source, target)

    async def endpoint(self, url: str) -> Endpoint:
        """Return where to connect to for gRPC, by the inner transport; raises Unreachable."""
        if not isinstance(self.inner, Dialling):
            raise Unreachable(url, "a function has no address")
        return await self.inner.endpoint(url)

    async def close(self) -> None:
        """Close all connections; the next request opens new ones."""
        await self.inner.close()


def shown_bytes(content: bytes) -> str:
    """Return content as one line of bounded length."""
    text = content[: 4 * _SHOWN].decode(errors="backslashreplace")
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
