"""A network that fails: a TCP proxy which loses, doubles, delays and cuts what goes through it.

It knows nothing of HTTP. What a client sends until the server answers is one exchange, so every
request on a kept-alive connection takes its chances anew.
"""

import asyncio
import contextlib
import random
from collections import Counter
from dataclasses import dataclass
from typing import Literal

from casino_agentkit.server.server import bind, url_of

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


class FaultProxy:
    """Listens on a port of its own and passes everything on to `target`, a port of this machine.

    `share` of the exchanges suffer a toxic while it is above 0; `dice` draws which.
    """

    def __init__(self, target: int, dice: random.Random) -> None:
        self.share = 0.0
        self.counts: Counter[Toxic] = Counter()
        self._target = target
        self._dice = dice
        self._under_way: set[asyncio.Task[None]] = set()
        self._socket = bind("127.0.0.1", 0)
        self._server: asyncio.Server | None = None
        self.url = url_of("127.0.0.1", self._socket.getsockname()[1])

    async def start(self) -> None:
        """Serve."""
        self._server = await asyncio.start_server(self._accept, sock=self._socket)

    async def stop(self) -> None:
        """Close every connection."""
        assert self._server is not None
        self._server.close()
        for task in self._under_way:
            task.cancel()
        if self._under_way:
            await asyncio.wait(self._under_way)
        await self._server.wait_closed()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._in_background(asyncio.ensure_future(self._serve(reader, writer)))

    def _in_background(self, task: asyncio.Task[None]) -> None:
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on until one side ends, or a toxic does."""
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            await _closed(writer)
            return
        ways = _Ways(self, reader, writer, there, back)
        pumps = {asyncio.ensure_future(ways.forth()), asyncio.ensure_future(ways.back())}
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            await _closed(back)
            await _closed(writer)

    def draw(self) -> Toxic | None:
        """Return what an exchange suffers."""
        return self._dice.choice(TOXICS) if self._dice.random() < self.share else None

    def delay_s(self) -> float:
        """Return how long something is held up."""
        return self._dice.uniform(0, LONGEST_DELAY_S)

    def repeat(self, request: bytes) -> None:
        """Send a request once more, later, and let nobody see the reply."""

        async def again() -> None:
            await asyncio.sleep(self.delay_s())
            with contextlib.suppress(OSError, TimeoutError):
                reader, writer = await asyncio.open_connection("127.0.0.1", self._target)
                try:
                    writer.write(request)
                    async with asyncio.timeout(_PATIENCE_S):
                        await reader.read(_CHUNK)
                finally:
                    await _closed(writer)

        self._in_background(asyncio.ensure_future(again()))


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
        """Pass on what the server answers."""
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
