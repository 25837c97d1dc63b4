"""A TCP proxy that loses, repeats, delays and cuts what it forwards.

It does not parse HTTP. What a client sends until the server answers is one exchange, so every
request on a kept-alive connection gets a toxic of its own.
"""

import asyncio
import contextlib
import random
from collections import Counter
from dataclasses import dataclass
from typing import Literal

from support.proxies.port_proxy import PortProxy, first_of

Toxic = Literal["lose_request", "cut_request", "lose_reply", "cut_reply", "delay", "repeat"]

TOXICS: tuple[Toxic, ...] = (
    "lose_request",
    "cut_request",
    "lose_reply",
    "cut_reply",
    "delay",
    "repeat",
)
DELIVERED_TWICE: frozenset[Toxic] = frozenset({"lose_reply", "cut_reply", "repeat"})
"""After these the server sees the same request again (where the client asks again)."""
LONGEST_DELAY_S = 1.0
_CHUNK = 65_536
_PATIENCE_S = 5.0


@dataclass
class _Exchange:
    """One request and the beginning of its reply."""

    request: bytearray
    toxic: Toxic | None
    is_answered: bool = False


class FaultProxy(PortProxy):
    """Forwards to `target`, a port of this machine, with faults.

    While `share` is above 0, this share of the exchanges gets a toxic; `dice` draws which.
    """

    def __init__(self, target: int, dice: random.Random) -> None:
        super().__init__(target)
        self.share = 0.0
        self.counts: Counter[Toxic] = Counter()
        self._dice = dice

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on until one side ends, or a toxic does."""
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            await _closed(writer)
            return
        ways = _Ways(self, reader, writer, there, back)
        try:
            await first_of(asyncio.ensure_future(ways.forth()), asyncio.ensure_future(ways.back()))
        finally:
            await _closed(back)
            await _closed(writer)

    def draw(self) -> Toxic | None:
        return self._dice.choice(TOXICS) if self._dice.random() < self.share else None

    def delay_s(self) -> float:
        return self._dice.uniform(0, LONGEST_DELAY_S)

    def repeat(self, request: bytes) -> None:
        """Send a request again later, and drop the reply."""

        async def again() -> None:
            await asyncio.sleep(self.delay_s())
            with contextlib.suppress(OSError, TimeoutError):
                reader, writer = await asyncio.open_connection("127.0.0.1", self.target)
                try:
                    writer.write(request)
                    async with asyncio.timeout(_PATIENCE_S):
                        await reader.read(_CHUNK)
                finally:
                    await _closed(writer)

        self.in_background(asyncio.ensure_future(again()))


class _Ways:
    """The two ways of one connection."""

    def __init__(
        self,
        proxy: FaultProxy,
        client: asyncio.StreamReader,
        to_client: asyncio.StreamWriter,
        server: asyncio.StreamReader,
        to_server: asyncio.StreamWriter,
    ) -> None:
        self._proxy = proxy
        self._client, self._to_client = client, to_client
        self._server, self._to_server = server, to_server
        self._now: _Exchange | None = None

    async def forth(self) -> None:
        """Pass on what the client sends."""
        while chunk := await self._client.read(_CHUNK):
            if self._now is None or self._now.is_answered:
                self._now = _Exchange(bytearray(), self._proxy.draw())
                if self._now.toxic == "lose_request":
                    return self._count("lose_request")
                if self._now.toxic == "delay":
                    self._count("delay")
                    await asyncio.sleep(self._proxy.delay_s())
                if self._now.toxic == "cut_request":
                    self._to_server.write(chunk[: len(chunk) // 2])
                    await self._to_server.drain()
                    return self._count("cut_request")
            self._now.request += chunk
            self._to_server.write(chunk)
            await self._to_server.drain()
        return None

    async def back(self) -> None:
        while chunk := await self._server.read(_CHUNK):
            if self._now is not None and not self._now.is_answered:
                self._now.is_answered = True
                if self._now.toxic == "lose_reply":
                    return self._count("lose_reply")
                if self._now.toxic == "cut_reply":
                    self._to_client.write(chunk[: len(chunk) // 2])
                    await self._to_client.drain()
                    return self._count("cut_reply")
                if self._now.toxic == "repeat":
                    self._count("repeat")
                    self._proxy.repeat(bytes(self._now.request))
            self._to_client.write(chunk)
            await self._to_client.drain()
        return None

    def _count(self, toxic: Toxic) -> None:
        self._proxy.counts[toxic] += 1


async def _closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
